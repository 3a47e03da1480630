// The pages of the navigation, the palette and the shortcuts: one list for the three, without what the role of whoever
// is signed in has not got.

import { t } from '@lingui/core/macro';
import {
  Activity,
  CalendarClock,
  ChartNoAxesColumn,
  CircleAlert,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Package,
  Palette,
  PlugZap,
  ReceiptText,
  Rss,
  ScrollText,
  ShieldCheck,
  ShoppingBag,
  UserRoundCog,
  Users,
  UsersRound,
  Wallet,
  Webhook,
} from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay } from '../api/person.ts';
import type { Scope } from '../api/shapes.ts';

export interface PageEntry {
  readonly to:
    | '/'
    | '/orders'
    | '/customers'
    | '/ledger'
    | '/forecast'
    | '/statements'
    | '/requests'
    | '/webhooks'
    | '/events'
    | '/api-access'
    | '/people'
    | '/security'
    | '/admin'
    | '/admin/accounts'
    | '/admin/packages'
    | '/admin/customers'
    | '/admin/attention'
    | '/admin/product'
    | '/admin/audit'
    | '/admin/brand'
    | '/admin/health';
  readonly title: string;
  readonly icon: LucideIcon;
  /** Pressed one after another. */
  readonly keys: string;
  /** More words that find it in the palette. */
  readonly words: string;
  /** Absent: for every role. */
  readonly scope?: Scope;
}

const panelPages: readonly PageEntry[] = [
  { to: '/', title: t`Overview`, icon: LayoutDashboard, keys: 'g h', words: t`home dashboard chart` },
  { to: '/orders', title: t`Orders`, icon: ShoppingBag, keys: 'g o', words: t`sales renew` },
  { to: '/customers', title: t`Customers`, icon: Users, keys: 'g c', words: t`plans expiry login link` },
  { to: '/ledger', title: t`Ledger`, icon: Wallet, keys: 'g l', words: t`balance credit csv export` },
  {
    to: '/forecast',
    title: t`Forecast and alerts`,
    icon: CalendarClock,
    keys: 'g f',
    words: t`renewals balance ends alert mail low`,
    scope: 'balance:read',
  },
  {
    to: '/statements',
    title: t`Statements`,
    icon: ReceiptText,
    keys: 'g m',
    words: t`monthly csv accounting`,
  },
  {
    to: '/api-access',
    title: t`API access`,
    icon: KeyRound,
    keys: 'g a',
    words: t`key token allow-list ip curl`,
    scope: 'keys:read',
  },
  {
    to: '/requests',
    title: t`Requests`,
    icon: Activity,
    keys: 'g r',
    words: t`log errors api`,
    scope: 'keys:read',
  },
  {
    to: '/webhooks',
    title: t`Webhooks`,
    icon: Webhook,
    keys: 'g w',
    words: t`endpoints deliveries secret signature`,
    scope: 'events:read',
  },
  {
    to: '/events',
    title: t`Events`,
    icon: Rss,
    keys: 'g e',
    words: t`feed what happened json`,
    scope: 'events:read',
  },
  {
    to: '/people',
    title: t`People`,
    icon: UserRoundCog,
    keys: 'g p',
    words: t`team colleagues roles invite owner staff viewer`,
    scope: 'people:read',
  },
  {
    to: '/security',
    title: t`Security`,
    icon: ShieldCheck,
    keys: 'g s',
    words: t`password sessions totp two-factor`,
  },
];

const consolePages: readonly PageEntry[] = [
  {
    to: '/admin',
    title: t`Business`,
    icon: ChartNoAxesColumn,
    keys: 'a o',
    words: t`console overview revenue`,
    scope: 'admin:read',
  },
  {
    to: '/admin/accounts',
    title: t`Accounts`,
    icon: UsersRound,
    keys: 'a a',
    words: t`resellers distributors credit`,
    scope: 'admin:read',
  },
  {
    to: '/admin/packages',
    title: t`Packages`,
    icon: Package,
    keys: 'a p',
    words: t`prices features trial`,
    scope: 'admin:read',
  },
  {
    to: '/admin/customers',
    title: t`All customers`,
    icon: Users,
    keys: 'a c',
    words: 'suspend',
    scope: 'admin:read',
  },
  {
    to: '/admin/attention',
    title: t`Needs attention`,
    icon: CircleAlert,
    keys: 'a w',
    words: t`pending waiting product accept fail`,
    scope: 'admin:read',
  },
  {
    to: '/admin/product',
    title: t`Product`,
    icon: PlugZap,
    keys: 'a d',
    words: t`hand-off address secret calls confirm notify`,
    scope: 'admin:read',
  },
  {
    to: '/admin/audit',
    title: t`Audit log`,
    icon: ScrollText,
    keys: 'a l',
    words: t`who changed what`,
    scope: 'admin:read',
  },
  {
    to: '/admin/brand',
    title: t`Brand`,
    icon: Palette,
    keys: 'a b',
    words: t`name logo colour letterhead`,
    scope: 'admin:packages',
  },
  {
    to: '/admin/health',
    title: t`Health`,
    icon: HeartPulse,
    keys: 'a h',
    words: t`queue database verify`,
    scope: 'admin:read',
  },
];

/** Those that whoever is signed in may read, in their order. */
export function usePages(): { readonly panel: readonly PageEntry[]; readonly console: readonly PageEntry[] } {
  const may = useMay();
  // Sessions and codes are those of whoever is signed in, and not of the account they look at.
  const isOpen = ({ to, scope }: PageEntry) =>
    (scope === undefined || may(scope)) && (viewedAccount === null || to !== '/security');
  return { panel: panelPages.filter(isOpen), console: consolePages.filter(isOpen) };
}

/** Whether the page at this path of the router is one that the role of whoever is signed in has not got. */
export function useIsClosed(path: string): boolean {
  const may = useMay();
  return panelPages.some(
    ({ to, scope }) => scope !== undefined && to === (path.replace(/\/$/, '') || '/') && !may(scope),
  );
}

/** What an account that orders for its customers needs; an operator's seldom does. */
const orderingPages: ReadonlySet<string> = new Set([
  '/',
  '/orders',
  '/customers',
  '/ledger',
  '/forecast',
  '/statements',
] satisfies PageEntry['to'][]);

export function isOfOrdering({ to }: PageEntry): boolean {
  return orderingPages.has(to);
}

const askedName = 'sellthrough-ordering-pages';

/** Whether the navigation shows what ordering takes: of an operator's own account, once it has ordered, has credit, or asks. */
export function useOrderingShown(): { readonly isShown: boolean; readonly show: () => void } {
  const { account } = useMe();
  const isOperator = useMay()('admin:read');
  const [isAsked, setIsAsked] = useState(() => isKept());
  const orders = account.order_count > 0 || account.customer_count > 0 || account.balance !== '0.00';
  return {
    isShown: !isOperator || viewedAccount !== null || panelMode === 'test' || orders || isAsked,
    show: () => {
      setIsAsked(true);
      keepAsked();
    },
  };
}

function isKept(): boolean {
  try {
    return window.localStorage.getItem(askedName) === 'on';
  } catch {
    return false;
  }
}

function keepAsked(): void {
  try {
    window.localStorage.setItem(askedName, 'on');
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}
