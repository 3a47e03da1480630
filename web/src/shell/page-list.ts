// The pages that appear in navigation, palette and shortcuts, filtered by role.

import { t } from '@lingui/core/macro';
import {
  Activity,
  Archive,
  CalendarClock,
  ChartNoAxesColumn,
  CircleAlert,
  CreditCard,
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
import { keep, readKept } from '../api/browser-storage.ts';
import { useMe } from '../api/me.ts';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';
import { useMay } from '../api/person.ts';
import type { Scope } from '../api/shapes.ts';

export const pageGroupTitles = {
  start: '',
  sales: t`Sales`,
  money: t`Money`,
  developers: t`Developers`,
  account: t`Account`,
  operations: t`Operations`,
  setup: t`Setup`,
};

export type PageGroup = keyof typeof pageGroupTitles;

interface Entry<Address extends string> {
  readonly group: PageGroup;
  readonly to: Address;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly keys: string;
  /** undefined if every role may open the page. */
  readonly scope: Scope | undefined;
}

function page<const Address extends string>(
  group: PageGroup,
  to: Address,
  title: string,
  icon: LucideIcon,
  keys: string,
  scope?: Scope,
): Entry<Address> {
  return { group, to, title, icon, keys, scope };
}

const panelPages = [
  page('start', '/', t`Overview`, LayoutDashboard, 'g h'),
  page('start', '/business', t`Business`, ChartNoAxesColumn, 'g b'),
  page('sales', '/orders', t`Orders`, ShoppingBag, 'g o'),
  page('sales', '/customers', t`Customers`, Users, 'g c'),
  page('money', '/ledger', t`Ledger`, Wallet, 'g l'),
  page('money', '/top-ups', t`Top-ups`, CreditCard, 'g t', 'topups:read'),
  page('money', '/forecast', t`Forecast and alerts`, CalendarClock, 'g f', 'balance:read'),
  page('money', '/statements', t`Statements`, ReceiptText, 'g m'),
  page('developers', '/connect', t`Connect`, PlugZap, 'g n', 'keys:read'),
  page('developers', '/api-access', t`API access`, KeyRound, 'g a', 'keys:read'),
  page('developers', '/requests', t`Requests`, Activity, 'g r', 'keys:read'),
  page('developers', '/webhooks', t`Webhooks`, Webhook, 'g w', 'events:read'),
  page('developers', '/events', t`Events`, Rss, 'g e', 'events:read'),
  page('account', '/people', t`Team`, UserRoundCog, 'g p', 'people:read'),
  page('account', '/security', t`Security`, ShieldCheck, 'g s'),
];

const consolePages = [
  page('start', '/admin', t`Business`, ChartNoAxesColumn, 'a o', 'admin:read'),
  page('sales', '/admin/accounts', t`Accounts`, UsersRound, 'a a', 'admin:read'),
  page('sales', '/admin/customers', t`All customers`, Users, 'a c', 'admin:read'),
  page('sales', '/admin/orders', t`All orders`, ShoppingBag, 'a r', 'admin:read'),
  page('sales', '/admin/packages', t`Packages`, Package, 'a p', 'admin:read'),
  page('sales', '/admin/payments', t`Payments`, Wallet, 'a y', 'admin:read'),
  page('operations', '/admin/attention', t`Needs attention`, CircleAlert, 'a w', 'admin:read'),
  page('operations', '/admin/product', t`Product`, PlugZap, 'a d', 'admin:read'),
  page('operations', '/admin/health', t`Health`, HeartPulse, 'a h', 'admin:read'),
  page('operations', '/admin/audit', t`Audit log`, ScrollText, 'a l', 'admin:read'),
  page('setup', '/admin/brand', t`Brand`, Palette, 'a b', 'admin:packages'),
  page('setup', '/admin/retention', t`Retention`, Archive, 'a t', 'admin:read'),
  page('setup', '/admin/start', t`Open your channel`, LayoutDashboard, 'a s', 'admin:read'),
];

export type PageEntry = (typeof panelPages | typeof consolePages)[number];

export function usePages(): { readonly panel: readonly PageEntry[]; readonly console: readonly PageEntry[] } {
  const may = useMay();
  const { topups } = useMe();
  // The security page shows the administrator's own sessions and codes, so it is hidden while they view another account.
  const isOpen = ({ to, scope }: PageEntry) =>
    (scope === undefined || may(scope)) &&
    (viewedAccount === null || to !== '/security') &&
    (topups.methods.length > 0 || to !== '/top-ups');
  return { panel: panelPages.filter(isOpen), console: consolePages.filter(isOpen) };
}

/** Operators start at the guide to running the service, everyone else at the guide to ordering. */
export function useDocsAddress(): string {
  return useMay()('admin:read') ? '/docs/operators' : '/docs/resellers';
}

export function useIsClosed(path: string): boolean {
  const may = useMay();
  return panelPages.some(
    ({ to, scope }) => scope !== undefined && to === (path.replace(/\/$/, '') || '/') && !may(scope),
  );
}

/** Pages for ordering. An operator's own account rarely needs them. */
const orderingPages: ReadonlySet<string> = new Set([
  '/',
  '/orders',
  '/customers',
  '/ledger',
  '/top-ups',
  '/forecast',
  '/business',
  '/statements',
] satisfies PageEntry['to'][]);

export function isOfOrdering({ to }: PageEntry): boolean {
  return orderingPages.has(to);
}

const askedName = 'sellthrough-ordering-pages';

/** An operator's account sees them only once it has ordered, has credit, or asked for them. */
export function useOrderingShown(): { readonly isShown: boolean; readonly show: () => void } {
  const { account } = useMe();
  const isOperator = useMay()('admin:read');
  const [isAsked, setIsAsked] = useState(() => readKept(askedName) === 'on');
  const orders = account.order_count > 0 || account.customer_count > 0 || account.balance !== '0.00';
  return {
    isShown: !isOperator || viewedAccount !== null || panelMode === 'test' || orders || isAsked,
    show: () => {
      setIsAsked(true);
      // If the browser refuses storage, the operator has to ask again next time.
      keep(askedName, 'on');
    },
  };
}
