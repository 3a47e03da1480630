// The pages of the navigation, the palette and the shortcuts: one list for the three.

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
  Users,
  UsersRound,
  Wallet,
} from 'lucide-react';

export interface PageEntry {
  readonly to:
    | '/'
    | '/orders'
    | '/customers'
    | '/ledger'
    | '/statements'
    | '/requests'
    | '/api-access'
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
}

export const panelPages: readonly PageEntry[] = [
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
  },
  { to: '/requests', title: 'Requests', icon: Activity, keys: 'g r', words: 'log errors api' },
  {
    to: '/security',
    title: 'Security',
    icon: ShieldCheck,
    keys: 'g s',
    words: 'password sessions totp two-factor',
  },
];

export const consolePages: readonly PageEntry[] = [
  {
    to: '/admin',
    title: 'Business',
    icon: ChartNoAxesColumn,
    keys: 'a o',
    words: 'console overview revenue',
  },
  {
    to: '/admin/accounts',
    title: 'Accounts',
    icon: UsersRound,
    keys: 'a a',
    words: 'resellers distributors credit',
  },
  { to: '/admin/packages', title: 'Packages', icon: Package, keys: 'a p', words: 'prices features trial' },
  { to: '/admin/customers', title: 'All customers', icon: Users, keys: 'a c', words: 'suspend' },
  { to: '/admin/audit', title: 'Audit log', icon: ScrollText, keys: 'a l', words: 'who changed what' },
  { to: '/admin/health', title: 'Health', icon: HeartPulse, keys: 'a h', words: 'queue database verify' },
];
