// The command palette (Ctrl/Cmd-K). The text box keeps the focus; arrows choose, Enter opens.

import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  Download,
  FlaskConical,
  HandCoins,
  Keyboard,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Package,
  Plus,
  Search,
  ShoppingBag,
  UserPlus,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { allCustomersQuery, allOrdersPath } from '../api/console-queries.ts';
import { useMe } from '../api/me.ts';
import { panelMode, switchMode } from '../api/panel-mode.ts';
import { useMay } from '../api/person.ts';
import { accountsQuery, customersQuery } from '../api/queries.ts';
import type { Holder } from '../api/shapes.ts';
import { holdersQuery } from '../api/support-queries.ts';
import { leave } from '../features/auth/leave.ts';
import { language, languageNames, languages } from '../text/language.ts';
import { isLastFour, shortenedKey } from '../text/shortened-key.ts';
import { askAction } from '../ui/asked-action.ts';
import { useBackCloses } from '../ui/back-closes.ts';
import { backdropClasses } from '../ui/dialog.tsx';
import { focusContent, useDialogOpener } from '../ui/dialog-opener.ts';
import { download } from '../ui/download-button.tsx';
import { Keys } from '../ui/keys.tsx';
import { chooseLanguage } from '../ui/language-choice.tsx';
import { useTypedAhead } from '../ui/typed-ahead.ts';
import { type PageEntry, useDocsAddress, usePages } from './page-list.ts';

/** In the order in which groups stand that match equally well. */
const groupTitles = {
  ids: t`Sign-ins and keys`,
  pages: t`Go to`,
  actions: t`Actions`,
  customers: t`Customers`,
  accounts: t`Accounts`,
} as const;

type GroupName = keyof typeof groupTitles;

interface Command {
  readonly id: string;
  readonly group: GroupName;
  readonly title: string;
  readonly note?: string;
  readonly keys?: string;
  readonly words?: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

interface CommandPaletteProps {
  readonly onClose: () => void;
  readonly onPlaceOrder: () => void;
  readonly onShortcuts: () => void;
}

const foundMax = 6;
/** The form of request ids made by the service. The request list also finds ids that clients chose. */
const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export default function CommandPalette({ onClose, onPlaceOrder, onShortcuts }: CommandPaletteProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  // After navigation the focus goes to the new page instead of back to what opened the palette.
  const isLeading = useRef(false);
  const commands = useCommands(text.trim(), {
    onClose: () => {
      isLeading.current = true;
      onClose();
    },
    onPlaceOrder,
    onShortcuts,
  });
  const at = Math.min(chosen, commands.length - 1);
  const list = useRef<HTMLDivElement>(null);
  const opener = useDialogOpener();
  useBackCloses(onClose);
  useTypedAhead(setText);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    // The heading of the first group would stay hidden above its first command.
    if (at === 0) list.current?.scrollTo({ top: 0 });
  }, [at]);

  const onKeyDown = (key: string): boolean => {
    if (key === 'ArrowDown') setChosen((at + 1) % Math.max(1, commands.length));
    else if (key === 'ArrowUp') setChosen((at - 1 + commands.length) % Math.max(1, commands.length));
    else if (key === 'Enter') commands[at]?.run();
    else return false;
    return true;
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Popup
          data-dialog
          finalFocus={() => (isLeading.current ? focusContent() : opener())}
          className="fixed inset-x-3 top-[8vh] z-40 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden rounded-card border border-line bg-card shadow-high"
        >
          <Dialog.Title className="sr-only">{t`Search and commands`}</Dialog.Title>
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search aria-hidden="true" className="size-4 shrink-0 text-soft" />
            <input
              role="combobox"
              aria-label={t`Search pages, customers and orders`}
              aria-expanded="true"
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={commands[at] === undefined ? undefined : `${listId}-${at}`}
              placeholder={t`Search pages, customers, orders …`}
              value={text}
              maxLength={254}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => {
                setText(event.target.value);
                setChosen(0);
              }}
              onKeyDown={(event) => {
                if (onKeyDown(event.key)) event.preventDefault();
              }}
              className="min-h-13 w-full bg-transparent text-base outline-none"
            />
            <span className="pointer-coarse:hidden">
              <Keys keys={t`Esc`} />
            </span>
          </div>
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={t`Results`}
            className="overflow-y-auto p-2 empty:hidden"
          >
            {groupsOf(commands).map(({ name, first, members }) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
              <div key={name} role="group" aria-labelledby={`${listId}-${name}`} className="not-first:mt-2">
                <div id={`${listId}-${name}`} className="px-2.5 py-1 text-xs font-medium text-soft">
                  {groupTitles[name]}
                </div>
                {members.map((command, position) => {
                  const index = first + position;
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text box
                    <div
                      key={command.id}
                      id={`${listId}-${index}`}
                      role="option"
                      aria-selected={index === at}
                      tabIndex={-1}
                      onMouseMove={() => setChosen(index)}
                      onClick={command.run}
                      className="flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-2.5 aria-selected:bg-accent-fill forced-colors:aria-selected:outline-2 forced-colors:aria-selected:-outline-offset-2"
                    >
                      <command.icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
                      {/* The note distinguishes equal titles, so the title is truncated first. */}
                      <span className="flex min-w-0 flex-1 flex-col py-1 leading-snug sm:flex-row sm:gap-2">
                        <bdi className="min-w-16 truncate">{command.title}</bdi>
                        {command.note === undefined ? null : (
                          <bdi className="max-w-full truncate text-soft sm:max-w-2/3 sm:shrink-0">
                            {command.note}
                          </bdi>
                        )}
                      </span>
                      {command.keys === undefined ? null : (
                        <span className="pointer-coarse:hidden">
                          <Keys keys={command.keys} />
                        </span>
                      )}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          {commands.length === 0 ? <p className="px-4 py-6 text-center text-soft">{t`No results.`}</p> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useCommands(text: string, { onClose, ...props }: CommandPaletteProps): readonly Command[] {
  const go = (to: () => void) => () => {
    onClose();
    to();
  };
  const fixed = useFixedCommands(go, props);
  const byId = useCommandsById(text, go);
  const found = useFoundCommands(text, go);
  const lower = text.toLowerCase();
  const matching = fixed
    .map((command) => ({ command, rank: rankOf(command, lower) }))
    .filter(({ rank }) => rank < rankNone)
    .sort((one, other) => one.rank - other.rank);
  const commands = matching.map(({ command }) => command);
  const best = matching[0]?.command.group;
  const actions = commands.filter(({ group }) => group === 'actions');
  const pages = commands.filter(({ group }) => group === 'pages');
  // Without a text, actions would be below all pages.
  const isActionFirst = text === '' || (best === 'actions' && byId.length === 0);
  const listed = isActionFirst ? [...actions, ...pages] : [...byId, ...pages, ...actions];
  return [...found.holders, ...listed, ...found.others];
}

interface Group {
  readonly name: GroupName;
  /** The place of its first command among all. */
  readonly first: number;
  readonly members: readonly Command[];
}

/** Commands of a group follow each other. */
function groupsOf(commands: readonly Command[]): readonly Group[] {
  const names = [...new Set(commands.map(({ group }) => group))];
  return names.map((name) => ({
    name,
    first: commands.findIndex(({ group }) => group === name),
    members: commands.filter(({ group }) => group === name),
  }));
}

/** The palette closes before the action runs. */
type Go = (to: () => void) => () => void;

function useFixedCommands(
  go: Go,
  { onPlaceOrder, onShortcuts }: Omit<CommandPaletteProps, 'onClose'>,
): readonly Command[] {
  const actions = useActionCommands(go, onPlaceOrder);
  const pages = usePages();
  const docs = useDocsAddress();
  const navigate = useNavigate();
  const client = useQueryClient();
  return [
    ...actions,
    ...[...pages.panel, ...pages.console].map(({ to, title, icon, keys }) => ({
      id: to,
      group: 'pages' as const,
      title,
      icon,
      keys,
      words: pageWords[to],
      run: go(() => void navigate({ to })),
    })),
    {
      id: 'docs',
      group: 'pages',
      title: t`Documentation`,
      words: t`docs guides api reference help`,
      icon: BookOpen,
      run: () => window.location.assign(docs),
    },
    {
      id: 'shortcuts',
      group: 'actions',
      title: t`Keyboard shortcuts`,
      keys: '?',
      words: t`help keys`,
      icon: Keyboard,
      run: onShortcuts,
    },
    {
      id: 'test-mode',
      group: 'actions',
      title: panelMode === 'test' ? t`Leave test mode` : t`Switch to test mode`,
      words: t`sandbox clock`,
      icon: FlaskConical,
      run: () => switchMode(panelMode === 'test' ? 'live' : 'test'),
    },
    ...languages
      .filter((one) => one !== language)
      .map((one) => ({
        id: `language ${one}`,
        group: 'actions' as const,
        title: t`Change language to ${languageNames[one]}`,
        words: one,
        icon: Languages,
        run: () => void chooseLanguage(one, true),
      })),
    {
      id: 'leave',
      group: 'actions',
      title: t`Sign out`,
      words: t`log out leave`,
      icon: LogOut,
      run: () => leave(client),
    },
  ];
}

/** What the person's role allows. Other pages open their own dialog (asked-action.ts). */
function useActionCommands(go: Go, onPlaceOrder: () => void): readonly Command[] {
  const may = useMay();
  const navigate = useNavigate();
  const action = (
    id: string,
    [title, words]: readonly [string, string],
    icon: LucideIcon,
    run: () => void,
  ): Command => ({ id, group: 'actions', title, words, icon, run });
  const on = (asked: string, to: '/people' | '/api-access' | '/webhooks') =>
    go(() => {
      askAction(asked, to);
      void navigate({ to });
    });
  const exportOrders = go(() => download('/v1/orders', { format: 'csv' }, 'orders.csv'));
  const exportAll = go(() => download(allOrdersPath, { format: 'csv' }, 'orders.csv'));
  const isLive = panelMode !== 'test';
  const isOperator = isLive && may('admin:read');
  return [
    ...(may('orders:write')
      ? [{ ...action('order', [t`Place an order`, t`new buy sell`], Plus, onPlaceOrder), keys: 'n' }]
      : []),
    ...(may('people:write')
      ? [
          action(
            'invite',
            [t`Invite team member`, t`new person colleague`],
            UserPlus,
            on('invite', '/people'),
          ),
        ]
      : []),
    ...(may('keys:write')
      ? [action('key', [t`New API key`, t`create token`], KeyRound, on('key', '/api-access'))]
      : []),
    ...(may('webhooks:write')
      ? [action('endpoint', [t`New endpoint`, t`create webhook`], Webhook, on('endpoint', '/webhooks'))]
      : []),
    ...(may('orders:read')
      ? [action('export', [t`Export orders`, t`csv download`], Download, exportOrders)]
      : []),
    ...(isOperator
      ? [action('export-all', [t`Export orders of all accounts`, t`csv download`], Download, exportAll)]
      : []),
    ...(isLive && may('admin:credit')
      ? [
          action(
            'credit',
            [t`Credit an account`, t`top up balance`],
            HandCoins,
            go(() => void navigate({ to: '/admin/accounts' })),
          ),
        ]
      : []),
    ...(isLive && may('admin:packages')
      ? [
          action(
            'package',
            [t`Create package`, t`new plan`],
            Package,
            go(() => void navigate({ to: '/admin/packages/$packageId', params: { packageId: 'new' } })),
          ),
        ]
      : []),
  ];
}

function useCommandsById(text: string, go: Go): readonly Command[] {
  const { id: accountId } = useMe().account;
  const isAdmin = useMay()('admin:read');
  const pages = usePages();
  const navigate = useNavigate();
  // An order id begins with its account's id. Administrators can open live orders of any account.
  const isOwn = panelMode === 'test' || Math.floor(Number(text) / 1e9) === accountId;
  const orderPage = isAdmin && !isOwn ? '/admin/orders/$orderId' : '/orders/$orderId';
  const orderById: readonly Command[] = /^[1-9]\d{9,15}$/.test(text)
    ? [
        {
          id: 'order-by-id',
          group: 'pages',
          title: t`Order ${text}`,
          icon: ShoppingBag,
          run: go(() => void navigate({ to: orderPage, params: { orderId: text } })),
        },
      ]
    : [];
  const seesRequests = pages.panel.some(({ to }) => to === '/requests');
  const requestById: readonly Command[] =
    seesRequests && requestIdPattern.test(text)
      ? [
          {
            id: 'request-by-id',
            group: 'pages',
            title: t`Request ${text}`,
            icon: Activity,
            run: go(() => void navigate({ to: '/requests', search: { request_id: text } })),
          },
        ]
      : [];
  return [...orderById, ...requestById];
}

function useFoundCommands(
  text: string,
  go: Go,
): { readonly holders: readonly Command[]; readonly others: readonly Command[] } {
  const { id: accountId } = useMe().account;
  const may = useMay();
  const isAdmin = may('admin:read');
  const navigate = useNavigate();
  const q = useDeferredValue(text);
  const isSearch = q.length >= 2;
  const customers = useQuery({ ...customersQuery({ words: q }), enabled: isSearch });
  const everybodys = useQuery({ ...allCustomersQuery({ words: q }), enabled: isSearch && isAdmin });
  const accounts = useQuery({ ...accountsQuery({ q, limit: foundMax }), enabled: isSearch && isAdmin });
  // Only the end of a pasted key is sent to the service.
  const held = shortenedKey(q);
  const mayAsk = panelMode !== 'test' && (isAdmin || (may('people:read') && may('keys:read')));
  const holders = useQuery({
    ...holdersQuery(held, isAdmin),
    enabled: mayAsk && (held.includes('@') || isLastFour(held)),
  });

  const foundCustomers = (isSearch ? (customers.data?.data ?? []) : [])
    .slice(0, foundMax)
    .map((customer) => ({
      id: `customer ${customer.id}`,
      group: 'customers' as const,
      title: customer.name,
      note: customer.reference === customer.name ? customer.plan.package : customer.reference,
      icon: UserRound,
      run: go(
        () => void navigate({ to: '/customers/$customerId', params: { customerId: String(customer.id) } }),
      ),
    }));
  // The account's own customers are already listed, with links to their panel pages.
  const foundEverywhere = (isSearch && isAdmin ? (everybodys.data?.data ?? []) : [])
    .filter(({ account }) => account.id !== accountId)
    .slice(0, foundMax)
    .map((customer) => ({
      id: `customer-of-all ${customer.id}`,
      group: 'customers' as const,
      title: customer.name,
      note: t`Customer of ${customer.account.username}`,
      icon: UserRound,
      run: go(
        () =>
          void navigate({ to: '/admin/customers/$customerId', params: { customerId: String(customer.id) } }),
      ),
    }));
  const foundAccounts = (isSearch && isAdmin ? (accounts.data?.data ?? []) : []).flatMap((account) => {
    const params = { accountId: String(account.id) };
    const open = () => void navigate({ to: '/admin/accounts/$accountId', params });
    const one = { group: 'accounts' as const, title: account.username };
    return [
      { ...one, id: `account ${account.id}`, note: t`Account`, icon: UsersRound, run: go(open) },
      ...(may('admin:credit') && panelMode !== 'test'
        ? [
            {
              ...one,
              id: `credit ${account.id}`,
              note: t`Credit this account`,
              icon: HandCoins,
              run: go(() => {
                askAction('credit', `/admin/accounts/${account.id}`);
                open();
              }),
            },
          ]
        : []),
    ];
  });
  const foundHolders = (holders.data?.data ?? []).map((holder) => {
    const { kind, id, account } = holder;
    const isOfOwn = account.id === accountId;
    const icon = kind === 'key' ? KeyRound : UsersRound;
    const open = () => {
      if (isOfOwn && kind === 'person') return void navigate({ to: '/people' });
      if (isOfOwn && kind === 'key') return void navigate({ to: '/api-access' });
      return void navigate({
        to: '/admin/accounts/$accountId',
        params: { accountId: String(account.id) },
        ...(kind !== 'account' && { search: { tab: kind === 'key' ? 'keys' : 'people' } }),
      });
    };
    // Only operators have account pages. For other users, the account's own login is listed on the people page.
    const run = isAdmin || kind !== 'account' ? open : () => void navigate({ to: '/people' });
    return {
      id: `holder ${kind} ${id}`,
      group: 'ids' as const,
      title: holder.name,
      note: holderNote(holder),
      icon,
      run: go(run),
    };
  });
  return { holders: foundHolders, others: [...foundCustomers, ...foundEverywhere, ...foundAccounts] };
}

function holderNote({ kind, account: { username }, revoked: isRevoked }: Holder): string {
  if (kind === 'account') return t`Account with this email address`;
  if (kind === 'person') return t`Team member of ${username}`;
  return isRevoked ? t`Revoked API key of ${username}` : t`API key of ${username}`;
}

const rankNone = 3;

/** Additional words by which the palette finds a page. */
const pageWords: Readonly<Record<PageEntry['to'], string>> = {
  '/': t`home dashboard chart`,
  '/orders': t`sales renew`,
  '/customers': t`plans expiry login link`,
  '/ledger': t`balance credit csv export`,
  '/top-ups': 'iban',
  '/forecast': t`renewals balance ends alert email low`,
  '/business': t`mrr churn growth cohorts`,
  '/statements': t`monthly csv accounting`,
  '/connect': 'curl postman bruno',
  '/api-access': t`key token allow-list ip curl`,
  '/requests': t`log errors api`,
  '/webhooks': t`endpoints deliveries secret signature`,
  '/events': t`feed log activity json`,
  '/people': t`people members colleagues roles invite owner staff viewer`,
  '/security': t`password sessions totp two-factor`,
  '/admin': t`console overview revenue`,
  '/admin/accounts': t`resellers distributors credit`,
  '/admin/packages': t`prices features trial`,
  '/admin/customers': 'suspend',
  '/admin/orders': t`sales renew`,
  '/admin/attention': t`pending waiting product accept fail`,
  '/admin/product': t`hand-off address secret calls confirm notify`,
  '/admin/payments': 'stripe iban',
  '/admin/audit': t`who changed what`,
  '/admin/brand': t`name logo color letterhead`,
  '/admin/retention': t`delete days privacy logs`,
  '/admin/health': t`queue database verify`,
  '/admin/start': t`setup first steps onboarding`,
};

/** 0: the title starts with the text; 1: another word of the title does; 2: one of the search words does. */
function rankOf({ title, words = '' }: Command, lower: string): number {
  const plain = title.toLowerCase();
  if (plain.startsWith(lower)) return 0;
  if (` ${plain}`.includes(` ${lower}`)) return 1;
  return ` ${words}`.includes(` ${lower}`) ? 2 : rankNone;
}
