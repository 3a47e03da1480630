// Whether this tab shows live or test mode. Switching reloads the page, so that data of the modes never mix.

import { keep, readKept } from './browser-storage.ts';
import { viewedAccount } from './panel-view.ts';

export type PanelMode = 'live' | 'test';

const storageName = 'sellthrough-mode';

export const panelMode: PanelMode = keptMode();

/** The service applies this header only to routes with the account's own data. */
export const modeHeaders: Readonly<Record<string, string>> =
  panelMode === 'test' ? { 'sellthrough-mode': 'test' } : {};

/** Paths of pages that show the account's own data. All other pages show live data. */
const pagesOfTests = [
  '/',
  '/orders',
  '/customers',
  '/ledger',
  '/top-ups',
  '/statements',
  '/requests',
  '/webhooks',
  '/events',
];

export function hasTestMode(path: string): boolean {
  const [, first = ''] = path.split('/');
  return pagesOfTests.includes(`/${first}`);
}

/** Reloads the page. A page about one item becomes its list, because the other mode does not have the item. */
export function switchMode(mode: PanelMode): void {
  if (mode === 'live') forgetMode();
  else window.sessionStorage.setItem(storageName, mode);
  const { pathname, search } = window.location;
  const path = pathname.replace(/^(.*\/(?:orders|customers|top-ups|webhooks))\/[^/]+\/?$/, '$1');
  if (path === pathname && search === '') window.location.reload();
  else window.location.assign(path);
}

export function forgetMode(): void {
  if (panelMode === 'test') keep(storageName, null, 'sessionStorage');
}

function keptMode(): PanelMode {
  // An administrator who views an account sees only its live data.
  if (viewedAccount !== null) return 'live';
  return readKept(storageName, 'sessionStorage') === 'test' ? 'test' : 'live';
}
