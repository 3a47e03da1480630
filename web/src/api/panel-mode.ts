// Live or test mode, chosen per tab and kept until it closes or signs out. Switching reloads the page, so that nothing of
// one mode shows in the other.

import { keep, readKept } from './browser-storage.ts';
import { viewedAccount } from './panel-view.ts';

export type PanelMode = 'live' | 'test';

const storageName = 'sellthrough-mode';

export const panelMode: PanelMode = keptMode();

/** The service uses it only for the account's own data. */
export const modeHeaders: Readonly<Record<string, string>> =
  panelMode === 'test' ? { 'sellthrough-mode': 'test' } : {};

/** Router paths of pages with the account's own data; all others show live data. */
const pagesOfTests = [
  '/',
  '/orders',
  '/customers',
  '/ledger',
  '/statements',
  '/requests',
  '/webhooks',
  '/events',
];

export function hasTestMode(path: string): boolean {
  const [, first = ''] = path.split('/');
  return pagesOfTests.includes(`/${first}`);
}

/** Reloads the page; details of one order, customer or endpoint become their list, as the other mode lacks them. */
export function switchMode(mode: PanelMode): void {
  if (mode === 'live') forgetMode();
  else window.sessionStorage.setItem(storageName, mode);
  const { pathname, search } = window.location;
  const path = pathname.replace(/^(.*\/(?:orders|customers|webhooks))\/[^/]+\/?$/, '$1');
  if (path === pathname && search === '') window.location.reload();
  else window.location.assign(path);
}

export function forgetMode(): void {
  if (panelMode === 'test') keep(storageName, null, 'sessionStorage');
}

function keptMode(): PanelMode {
  // A viewed account's tests are not shown.
  if (viewedAccount !== null) return 'live';
  return readKept(storageName, 'sessionStorage') === 'test' ? 'test' : 'live';
}
