import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { BookOpen, ChevronDown, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay } from '../api/person.ts';
import { attentionCountQuery } from '../api/queries.ts';
import { Logo } from '../features/brand/logo.tsx';
import { TestSwitch } from '../features/test-mode/test-switch.tsx';
import { formatCount } from '../text/language.ts';
import { Badge } from '../ui/badge.tsx';
import { classNames } from '../ui/class-names.ts';
import { Keys } from '../ui/keys.tsx';
import { Money } from '../ui/money.tsx';
import {
  isOfOrdering,
  type PageEntry,
  pageGroupTitles,
  useDocsAddress,
  useOrderingShown,
  usePages,
} from './page-list.ts';
import { UserMenu } from './user-menu.tsx';

interface NavigationProps {
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
  readonly onNavigate: () => void;
}

export function Navigation({ onSearch, onShortcuts, onNavigate }: NavigationProps) {
  const { account } = useMe();
  const pages = usePages();
  const ordering = useOrderingShown();
  const list = useActivePageInView();
  const isOperator = pages.console.length > 0;
  const own = ordering.isShown ? pages.panel : pages.panel.filter((page) => !isOfOrdering(page));
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 px-3 pt-4 pb-2 short:h-auto">
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
      {/* Only the list of pages scrolls, so that the balance and the person's menu stay visible. */}
      <nav
        ref={list}
        aria-label={t`Main`}
        className={classNames(
          'scroll-edges -mx-1 flex min-h-0 flex-1 flex-col overflow-y-auto px-1 py-0.5 short:overflow-visible',
          // The operator's list is long: on a low screen its rows are closer, so that none is cut.
          isOperator
            ? 'gap-1 [--row:1.75rem] [@media(max-height:56rem)]:[--row:1.5rem]'
            : 'gap-1.5 [--row:1.75rem]',
        )}
      >
        {isOperator ? (
          <>
            <PageGroups pages={pages.console} onNavigate={onNavigate} />
            <NamedPages name={t`Your account`}>
              <PageLinks pages={own} onNavigate={onNavigate} />
              {ordering.isShown ? null : (
                <button type="button" onClick={ordering.show} className={`${pageLinkClasses} w-full`}>
                  <ChevronDown aria-hidden="true" className="size-4 shrink-0" />
                  {t`Show ordering pages`}
                </button>
              )}
            </NamedPages>
          </>
        ) : (
          <PageGroups pages={own} onNavigate={onNavigate} />
        )}
      </nav>
      <div className="border-t border-line pt-2">
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
        <UserMenu onShortcuts={onShortcuts} />
      </div>
    </div>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

const marginPixels = 32;

/** Scrolls the list of pages to the open page. Not by scrollIntoView, after which Tab would begin at that link. */
function useActivePageInView() {
  const list = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const page = list.current?.querySelector('[aria-current]');
    if (pathname === '' || list.current === null || !page) return;
    const [outer, inner] = [list.current.getBoundingClientRect(), page.getBoundingClientRect()];
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    const above = Math.min(0, inner.top - marginPixels - outer.top);
    list.current.scrollTop += above === 0 ? Math.max(0, inner.bottom + marginPixels - outer.bottom) : above;
  }, [pathname]);
  return list;
}

interface PageLinksProps {
  readonly pages: readonly PageEntry[];
  readonly onNavigate: () => void;
}

function PageGroups({ pages, onNavigate }: PageLinksProps) {
  const docs = useDocsAddress();
  const groups = [...new Set(pages.map(({ group }) => group))];
  const ofDocs = groups.find((group) => group === 'developers' || group === 'setup') ?? groups.at(-1);
  return groups.map((group) => (
    <NamedPages key={group} name={pageGroupTitles[group]}>
      <PageLinks pages={pages.filter((page) => page.group === group)} onNavigate={onNavigate} />
      {group === ofDocs ? (
        <a href={docs} className={pageLinkClasses}>
          <BookOpen aria-hidden="true" className="size-4 shrink-0" />
          {t`Documentation`}
        </a>
      ) : null}
    </NamedPages>
  ));
}

function NamedPages({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      {name === '' ? null : <p className="mb-0.5 px-2 text-xs leading-4 font-medium text-soft">{name}</p>}
      {children}
    </div>
  );
}

const pageLinkClasses =
  'flex min-h-(--row) pointer-coarse:min-h-11 items-center gap-2.5 rounded-control px-2 text-soft hover:bg-fill hover:text-ink';

function PageLinks({ pages, onNavigate }: PageLinksProps) {
  return (
    <ul>
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
