import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookOpen, ChevronDown, Keyboard, LogOut, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay, usePerson } from '../api/person.ts';
import { attentionCountQuery } from '../api/queries.ts';
import { leave } from '../features/auth/leave.ts';
import { Logo } from '../features/brand/logo.tsx';
import { TestSwitch } from '../features/test-mode/test-switch.tsx';
import { formatCount } from '../text/language.ts';
import { roleWord } from '../text/words.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { LanguageChoice } from '../ui/language-choice.tsx';
import { Money } from '../ui/money.tsx';
import { ThemeChoice } from '../ui/theme-choice.tsx';
import { ClockChoice } from './clock-choice.tsx';
import { isOfOrdering, type PageEntry, useDocsAddress, useOrderingShown, usePages } from './page-list.ts';

interface NavigationProps {
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
  readonly onNavigate: () => void;
}

export function Navigation({ onSearch, onShortcuts, onNavigate }: NavigationProps) {
  const { account } = useMe();
  const { person } = usePerson();
  const pages = usePages();
  const client = useQueryClient();
  const ordering = useOrderingShown();
  const isOperator = pages.console.length > 0;
  const docs = useDocsAddress();
  const own = (
    <PageLinks
      pages={ordering.isShown ? pages.panel : pages.panel.filter((page) => !isOfOrdering(page))}
      onNavigate={onNavigate}
    />
  );
  const documentation = (
    <a href={docs} className={`${pageLinkClasses} mt-0.5 shrink-0`}>
      <BookOpen aria-hidden="true" className="size-4 shrink-0" />
      {t`Documentation`}
    </a>
  );
  return (
    <div className="flex h-full min-h-0 flex-col gap-4 px-3 py-4 short:h-auto">
      <div className="px-2">
        <Logo />
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="flex min-h-9 pointer-coarse:min-h-11 items-center gap-2 rounded-control border border-line bg-page px-2.5 text-soft hover:text-ink"
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="flex-1 text-left">{t`Search`}</span>
        <Keys keys={isApple ? '⌘ K' : t`Ctrl K`} />
      </button>
      {/* Only the list of pages scrolls, so that balance, language and sign-out stay visible. */}
      <nav
        aria-label={t`Main`}
        className="-mx-1 flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-1 py-0.5 short:overflow-visible"
      >
        {isOperator ? (
          <>
            <NamedPages name={t`Administration`}>
              <PageLinks pages={pages.console} onNavigate={onNavigate} />
              {documentation}
            </NamedPages>
            <NamedPages name={t`Your account`}>
              {own}
              {ordering.isShown ? null : (
                <button
                  type="button"
                  onClick={ordering.show}
                  className="flex min-h-8 items-center gap-2.5 rounded-control px-2 text-soft hover:bg-fill hover:text-ink pointer-coarse:min-h-11"
                >
                  <ChevronDown aria-hidden="true" className="size-4 shrink-0" />
                  {t`Show ordering pages`}
                </button>
              )}
            </NamedPages>
          </>
        ) : (
          own
        )}
        {isOperator ? null : documentation}
      </nav>
      <div className="border-t border-line pt-3">
        {viewedAccount === null && ordering.isShown ? <TestSwitch /> : null}
        {ordering.isShown ? (
          <Link
            to="/ledger"
            onClick={onNavigate}
            className="flex items-baseline justify-between gap-2 rounded-control px-2 py-1.5 hover:bg-fill"
          >
            <span className="text-soft">{panelMode === 'test' ? t`Test balance` : t`Balance`}</span>
            <Money amount={account.balance} currency={account.currency} className="font-semibold" />
          </Link>
        ) : null}
        <div className="flex flex-wrap items-center gap-1.5 py-1">
          <LanguageChoice isSignedIn className="min-w-0 grow" />
          <ThemeChoice className="min-w-0 grow" />
          <ClockChoice />
        </div>
        <div className="mt-1 flex items-center gap-1 pl-2">
          <div className="min-w-0 flex-1 leading-snug">
            <div className="truncate" title={person.username}>
              <bdi>{person.username}</bdi>
            </div>
            <div className="truncate text-xs text-soft">
              {viewedAccount !== null ? (
                <Trans>
                  Viewing <bdi title={account.username}>{account.username}</bdi>
                </Trans>
              ) : person.username === account.username ? (
                roleWord(person.role)
              ) : (
                <Trans>
                  {roleWord(person.role)} of <bdi title={account.username}>{account.username}</bdi>
                </Trans>
              )}
            </div>
          </div>
          <IconButton icon={Keyboard} label={t`Keyboard shortcuts`} onClick={onShortcuts} />
          <IconButton icon={LogOut} label={t`Sign out`} onClick={() => leave(client)} />
        </div>
      </div>
    </div>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function NamedPages({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <p className="mb-1 px-2 text-xs font-medium text-soft">{name}</p>
      {children}
    </div>
  );
}

const pageLinkClasses =
  'flex min-h-8 pointer-coarse:min-h-11 items-center gap-2.5 rounded-control px-2 text-soft hover:bg-fill hover:text-ink';

interface PageLinksProps {
  readonly pages: readonly PageEntry[];
  readonly onNavigate: () => void;
}

function PageLinks({ pages, onNavigate }: PageLinksProps) {
  return (
    <ul className="flex flex-col gap-0.5">
      {pages.map(({ to, title, icon: Icon }) => (
        <li key={to}>
          <Link
            to={to}
            onClick={onNavigate}
            activeOptions={{ exact: to === '/' || to === '/admin', includeSearch: false }}
            className={`${pageLinkClasses} aria-[current=page]:bg-accent-fill aria-[current=page]:font-medium aria-[current=page]:text-accent forced-colors:aria-[current=page]:outline-2 forced-colors:aria-[current=page]:-outline-offset-2`}
          >
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            {title}
            {/attention|payments/.test(to) ? <AttentionCount to={to} /> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function AttentionCount({ to }: { readonly to: string }) {
  const isOperator = useMay()('admin:read');
  const { data } = useQuery({ ...attentionCountQuery, enabled: isOperator });
  if (data === undefined) return null;
  const { failing, payments } = data;
  const isPayments = to === '/admin/payments';
  const count = isPayments ? payments.count : data.count + failing.count;
  return count === 0 ? null : (
    <span className="ml-auto">
      <Badge tone="warn">
        {formatCount(count)}
        {(isPayments ? payments.more : data.more || failing.more) ? '+' : ''}
      </Badge>
    </span>
  );
}
