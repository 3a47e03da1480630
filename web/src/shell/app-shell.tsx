// The frame around every page: navigation (a drawer on narrow screens), command palette, shortcuts, and the order dialog.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { Menu, Plus, Search } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { followEvents } from '../api/event-stream.ts';
import { hasTestMode, panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay } from '../api/person.ts';
import { TestClockContext, useTestClock } from '../api/test-clock.ts';
import { Logo } from '../features/brand/logo.tsx';
import { OpenOrderContext, type OrderIntent } from '../features/orders/open-order.ts';
import { withTexts } from '../text/texts.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { NotForRole } from '../ui/not-for-role.tsx';
import { FetchEarlyParts, lazyEarly } from '../ui/preload.ts';
import { holdTyping, letTypingGo } from '../ui/typed-ahead.ts';
import { ConnectionBand } from './connection-band.tsx';
import { Navigation } from './navigation.tsx';
import { useIsClosed, usePages } from './page-list.ts';
import { focusSearchField, type Shortcuts, useShortcuts } from './shortcuts.ts';
import { ViewBand } from './view-band.tsx';

const TestBand = lazy(withTexts(() => import('../features/test-mode/test-band.tsx')));

// These are preloaded in this order.
const OrderDialog = lazyEarly(withTexts(() => import('../features/orders/order-dialog.tsx')));
const CommandPalette = lazyEarly(withTexts(() => import('./command-palette.tsx')));
const MenuDrawer = lazyEarly(() => import('./menu-drawer.tsx'));
const ShortcutSheet = lazyEarly(withTexts(() => import('./shortcut-sheet.tsx')));

type Overlay = 'palette' | 'shortcuts' | 'drawer' | OrderIntent | null;

export function AppShell({ children }: { readonly children: ReactNode }) {
  const pages = usePages();
  const mayOrder = useMay()('orders:write');
  const [overlay, show] = useState<Overlay>(null);
  const setOverlay = useMemo(() => {
    const isTyped = (next: Overlay) => next === 'palette' || typeof next === 'object';
    return (next: Overlay) => {
      if (next !== null && isTyped(next)) holdTyping(() => show(null));
      else letTypingGo();
      show(next);
    };
  }, []);
  const close = () => setOverlay(null);
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const main = useFocusOnNavigation(pathname, close);
  const isClosed = useIsClosed(pathname);
  const client = useQueryClient();
  useEffect(() => followEvents(client), [client]);
  const testClock = useTestClock();

  const shortcuts: Shortcuts = {
    '?': () => setOverlay('shortcuts'),
    '/': focusSearchField,
    ...(mayOrder && { n: () => setOverlay({ type: 'place' }) }),
    ...Object.fromEntries(
      [...pages.panel, ...pages.console].map(({ to, keys }) => [keys, () => void navigate({ to })]),
    ),
  };
  useShortcuts(shortcuts, () => setOverlay('palette'));
  const openOrder = useMemo(() => (intent: OrderIntent) => setOverlay(intent), [setOverlay]);

  const navigation = (
    <Navigation
      onSearch={() => setOverlay('palette')}
      onShortcuts={() => setOverlay('shortcuts')}
      onNavigate={close}
    />
  );
  return (
    <OpenOrderContext value={openOrder}>
      <FetchEarlyParts />
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-4 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {t`Skip to content`}
      </a>
      <div className="lg:flex">
        <aside
          aria-label={t`Menu`}
          data-print="no"
          className="sticky top-0 hidden h-dvh w-60 shrink-0 border-r short:overflow-y-auto border-line bg-card lg:block"
        >
          {navigation}
        </aside>
        <header
          data-print="no"
          className="sticky top-0 z-20 flex items-center gap-1 border-b border-line bg-card px-2 py-1.5 lg:hidden"
        >
          <IconButton label={t`Menu`} onClick={() => setOverlay('drawer')}>
            <Menu aria-hidden="true" className="size-5" />
          </IconButton>
          <span className="flex flex-1 items-center gap-2">
            <Logo />
            {panelMode === 'test' ? <Badge tone="warn">{t`Test mode`}</Badge> : null}
          </span>
          <IconButton label={t`Search`} onClick={() => setOverlay('palette')}>
            <Search aria-hidden="true" className="size-5" />
          </IconButton>
          {mayOrder ? (
            <IconButton label={t`Place an order`} onClick={() => setOverlay({ type: 'place' })}>
              <Plus aria-hidden="true" className="size-5" />
            </IconButton>
          ) : null}
        </header>
        <div className="min-w-0 flex-1">
          <ConnectionBand />
          {viewedAccount === null ? null : <ViewBand />}
          {testClock === null ? null : (
            <Suspense>
              <TestBand path={pathname} now={testClock} />
            </Suspense>
          )}
          <main
            ref={main}
            id="content"
            tabIndex={-1}
            className="mx-auto w-full max-w-6xl scroll-mt-16 px-4 py-6 sm:px-8 sm:py-8"
          >
            <TestClockContext value={hasTestMode(pathname) ? testClock : null}>
              <Suspense>{isClosed ? <NotForRole /> : children}</Suspense>
            </TestClockContext>
          </main>
        </div>
      </div>
      <Suspense>
        {overlay === 'drawer' ? <MenuDrawer onClose={close}>{navigation}</MenuDrawer> : null}
        {overlay === 'palette' ? (
          <CommandPalette
            onClose={close}
            onPlaceOrder={() => setOverlay({ type: 'place' })}
            onShortcuts={() => setOverlay('shortcuts')}
          />
        ) : null}
        {overlay === 'shortcuts' ? <ShortcutSheet onClose={close} /> : null}
        {typeof overlay === 'object' && overlay !== null ? (
          <OrderDialog intent={overlay} onClose={close} />
        ) : null}
      </Suspense>
    </OpenOrderContext>
  );
}

/** After navigation, moves the focus to the new page, so that screen readers start there. */
function useFocusOnNavigation(pathname: string, onNavigation: () => void) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    onNavigation();
    main.current?.focus({ preventScroll: true });
  });
  return main;
}
