// The command palette (Ctrl/Cmd-K). The text box keeps the focus; arrows choose, Enter opens.

import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  FlaskConical,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Plus,
  Search,
  ShoppingBag,
  UserRound,
  UsersRound,
} from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useMe } from '../api/me.ts';
import { panelMode, switchMode } from '../api/panel-mode.ts';
import { useMay } from '../api/person.ts';
import { accountsQuery, allCustomersQuery, customersQuery } from '../api/queries.ts';
import type { Holder } from '../api/shapes.ts';
import { holdersQuery } from '../api/support-queries.ts';
import { leave } from '../features/auth/leave.ts';
import { isLastFour, shortenedKey } from '../text/shortened-key.ts';
import { useBackCloses } from '../ui/back-closes.ts';
import { backdropClasses } from '../ui/dialog.tsx';
import { focusContent, useDialogOpener } from '../ui/dialog-opener.ts';
import { Keys } from '../ui/keys.tsx';
import { useTypedAhead } from '../ui/typed-ahead.ts';
import { type PageEntry, useDocsAddress, usePages } from './page-list.ts';

interface Command {
  readonly id: string;
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
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
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
            {commands.map((command, index) => (
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
    .sort((one, other) => one.rank - other.rank)
    .map(({ command }) => command);
  return [...byId, ...found.holders, ...matching, ...found.others];
}

/** The palette closes before the action runs. */
type Go = (to: () => void) => () => void;

function useFixedCommands(
  go: Go,
  { onPlaceOrder, onShortcuts }: Omit<CommandPaletteProps, 'onClose'>,
): readonly Command[] {
  const may = useMay();
  const pages = usePages();
  const docs = useDocsAddress();
  const navigate = useNavigate();
  const client = useQueryClient();
  const placing: Command = {
    id: 'order',
    title: t`Place an order`,
    keys: 'n',
    words: t`new buy sell`,
    icon: Plus,
    run: onPlaceOrder,
  };
  return [
    ...(may('orders:write') ? [placing] : []),
    ...[...pages.panel, ...pages.console].map(({ to, title, icon, keys }) => ({
      id: to,
      title,
      icon,
      keys,
      words: pageWords[to],
      run: go(() => void navigate({ to })),
    })),
    {
      id: 'docs',
      title: t`Documentation`,
      words: t`docs guides api reference help`,
      icon: BookOpen,
      run: () => window.location.assign(docs),
    },
    {
      id: 'shortcuts',
      title: t`Keyboard shortcuts`,
      keys: '?',
      words: t`help keys`,
      icon: Keyboard,
      run: onShortcuts,
    },
    {
      id: 'test-mode',
      title: panelMode === 'test' ? t`Leave test mode` : t`Switch to test mode`,
      words: t`sandbox clock`,
      icon: FlaskConical,
      run: () => switchMode(panelMode === 'test' ? 'live' : 'test'),
    },
    { id: 'leave', title: t`Sign out`, words: t`log out leave`, icon: LogOut, run: () => leave(client) },
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
      title: customer.name,
      note: t`Customer of ${customer.account.username}`,
      icon: UserRound,
      run: go(
        () =>
          void navigate({ to: '/admin/customers/$customerId', params: { customerId: String(customer.id) } }),
      ),
    }));
  const foundAccounts = (isSearch && isAdmin ? (accounts.data?.data ?? []) : []).map((account) => ({
    id: `account ${account.id}`,
    title: account.username,
    note: t`Account`,
    icon: UsersRound,
    run: go(
      () => void navigate({ to: '/admin/accounts/$accountId', params: { accountId: String(account.id) } }),
    ),
  }));
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
    return { id: `holder ${kind} ${id}`, title: holder.name, note: holderNote(holder), icon, run: go(run) };
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
  '/admin/attention': t`pending waiting product accept fail`,
  '/admin/product': t`hand-off address secret calls confirm notify`,
  '/admin/payments': 'stripe iban',
  '/admin/audit': t`who changed what`,
  '/admin/brand': t`name logo color letterhead`,
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
