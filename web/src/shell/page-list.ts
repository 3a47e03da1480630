// The pages of the navigation, the palette and the shortcuts: one list for the three, without what the role of whoever
// is signed in has not got.

import {
  Activity,
  ChartNoAxesColumn,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Package,
  ReceiptText,
  ScrollText,
  ShieldCheck,
  ShoppingBag,
  UserRoundCog,
  Users,
  UsersRound,
  Wallet,
} from 'lucide-react';
import { useMay } from '../api/person.ts';
import type { Scope } from '../api/shapes.ts';

export interface PageEntry {
  readonly to:
    | '/'
    | '/orders'
    | '/customers'
    | '/ledger'
    | '/statements'
    | '/requests'
    | '/api-access'
    | '/people'
    | '/security'
    | '/admin'
    | '/admin/accounts'
    | '/admin/packages'
    | '/admin/customers'
    | '/admin/audit'
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
  { to: '/', title: 'Overview', icon: LayoutDashboard, keys: 'g h', words: 'home dashboard chart' },
  { to: '/orders', title: 'Orders', icon: ShoppingBag, keys: 'g o', words: 'sales renew' },
  { to: '/customers', title: 'Customers', icon: Users, keys: 'g c', words: 'plans expiry login link' },
  { to: '/ledger', title: 'Ledger', icon: Wallet, keys: 'g l', words: 'balance credit csv export' },
  { to: '/statements', title: 'Statements', icon: ReceiptText, keys: 'g m', words: 'monthly csv accounting' },
  {
    to: '/api-access',
    title: 'API access',
    icon: KeyRound,
    keys: 'g a',
    words: 'key token allow-list ip curl',
    scope: 'keys:read',
  },
  {
    to: '/requests',
    title: 'Requests',
    icon: Activity,
    keys: 'g r',
    words: 'log errors api',
    scope: 'keys:read',
  },
  {
    to: '/people',
    title: 'People',
    icon: UserRoundCog,
    keys: 'g p',
    words: 'team colleagues roles invite owner staff viewer',
    scope: 'people:read',
  },
  {
    to: '/security',
    title: 'Security',
    icon: ShieldCheck,
    keys: 'g s',
    words: 'password sessions totp two-factor',
  },
];

const consolePages: readonly PageEntry[] = [
  {
    to: '/admin',
    title: 'Business',
    icon: ChartNoAxesColumn,
    keys: 'a o',
    words: 'console overview revenue',
    scope: 'admin:read',
  },
  {
    to: '/admin/accounts',
    title: 'Accounts',
    icon: UsersRound,
    keys: 'a a',
    words: 'resellers distributors credit',
    scope: 'admin:read',
  },
  {
    to: '/admin/packages',
    title: 'Packages',
    icon: Package,
    keys: 'a p',
    words: 'prices features trial',
    scope: 'admin:read',
  },
  {
    to: '/admin/customers',
    title: 'All customers',
    icon: Users,
    keys: 'a c',
    words: 'suspend',
    scope: 'admin:read',
  },
  {
    to: '/admin/audit',
    title: 'Audit log',
    icon: ScrollText,
    keys: 'a l',
    words: 'who changed what',
    scope: 'admin:read',
  },
  {
    to: '/admin/health',
    title: 'Health',
    icon: HeartPulse,
    keys: 'a h',
    words: 'queue database verify',
    scope: 'admin:read',
  },
];

/** Those that whoever is signed in may read, in their order. */
export function usePages(): { readonly panel: readonly PageEntry[]; readonly console: readonly PageEntry[] } {
  const may = useMay();
  const isOpen = ({ scope }: PageEntry) => scope === undefined || may(scope);
  return { panel: panelPages.filter(isOpen), console: consolePages.filter(isOpen) };
}

/** Whether the page at this path of the router is one that the role of whoever is signed in has not got. */
export function useIsClosed(path: string): boolean {
  const may = useMay();
  return panelPages.some(
    ({ to, scope }) => scope !== undefined && to === (path.replace(/\/$/, '') || '/') && !may(scope),
  );
}
