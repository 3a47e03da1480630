// The side: search, the panel's pages, the console's for administrators, the balance, who is signed in.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Keyboard, LogOut, Search } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay, usePerson } from '../api/person.ts';
import { attentionCountQuery } from '../api/queries.ts';
import { TestSwitch } from '../test-mode/test-switch.tsx';
import { formatCount } from '../text/language.ts';
import { roleWord } from '../text/words.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { Money } from '../ui/money.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { leave } from './leave.ts';
import { Logo } from './logo.tsx';
import { type PageEntry, usePages } from './page-list.ts';

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
  return (
    <div className="flex min-h-full flex-col gap-5 px-3 py-4">
      <div className="px-2">
        <Logo />
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="flex min-h-9 pointer-coarse:min-h-11 items-center gap-2 rounded-control border border-line bg-page px-2.5 text-soft hover:text-ink"
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="flex-1 text-left">
          <Trans>Search</Trans>
        </span>
        <Keys keys={isApple ? '⌘ K' : t`Ctrl K`} />
      </button>
      <nav aria-label={t`Main`} className="flex flex-1 flex-col gap-5">
        <PageLinks pages={pages.panel} onNavigate={onNavigate} />
        {pages.console.length > 0 ? (
          <div>
            <p className="mb-1 px-2 text-xs font-medium text-soft">
              <Trans>Administration</Trans>
            </p>
            <PageLinks pages={pages.console} onNavigate={onNavigate} />
          </div>
        ) : null}
      </nav>
      <div className="border-t border-line pt-3">
        {viewedAccount === null ? <TestSwitch /> : null}
        <Link
          to="/ledger"
          onClick={onNavigate}
          className="flex items-baseline justify-between gap-2 rounded-control px-2 py-1.5 hover:bg-fill"
        >
          <span className="text-soft">{panelMode === 'test' ? t`Test balance` : t`Balance`}</span>
          <Money amount={account.balance} currency={account.currency} className="font-semibold" />
        </Link>
        <div className="flex items-center justify-between gap-2 px-2 py-1">
          <span aria-hidden="true" className="text-soft">
            <Trans>Language</Trans>
          </span>
          <LanguageChoice isSignedIn className="min-w-0" />
        </div>
        <div className="mt-1 flex items-center gap-1 pl-2">
          <div className="min-w-0 flex-1 leading-snug">
            <div className="truncate" title={person.username}>
              <bdi>{person.username}</bdi>
            </div>
            <div className="truncate text-xs text-soft">
              {viewedAccount !== null ? (
                <Trans>
                  Looks at <bdi title={account.username}>{account.username}</bdi>
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
          <IconButton label={t`Keyboard shortcuts`} onClick={onShortcuts}>
            <Keyboard aria-hidden="true" className="size-4" />
          </IconButton>
          <IconButton label={t`Sign out`} onClick={() => leave(client)}>
            <LogOut aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      </div>
    </div>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function PageLinks({
  pages,
  onNavigate,
}: {
  readonly pages: readonly PageEntry[];
  readonly onNavigate: () => void;
}) {
  return (
    <ul className="flex flex-col gap-0.5">
      {pages.map(({ to, title, icon: Icon }) => (
        <li key={to}>
          <Link
            to={to}
            onClick={onNavigate}
            activeOptions={{ exact: to === '/' || to === '/admin', includeSearch: false }}
            className="flex min-h-8 pointer-coarse:min-h-11 items-center gap-2.5 rounded-control px-2 text-soft hover:bg-fill hover:text-ink aria-[current=page]:bg-accent-fill aria-[current=page]:font-medium aria-[current=page]:text-accent forced-colors:aria-[current=page]:outline-2 forced-colors:aria-[current=page]:-outline-offset-2"
          >
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            {title}
            {to === '/admin/attention' ? <AttentionCount /> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Calls that need attention and calls that fail now; nothing, where there are none. */
function AttentionCount() {
  const isOperator = useMay()('admin:read');
  const { data } = useQuery({ ...attentionCountQuery, enabled: isOperator });
  const count = data === undefined ? 0 : data.count + data.failing.count;
  if (data === undefined || count === 0) return null;
  return (
    <span className="ml-auto">
      <Badge tone="warn">
        {formatCount(count)}
        {data.more || data.failing.more ? '+' : ''}
      </Badge>
    </span>
  );
}
