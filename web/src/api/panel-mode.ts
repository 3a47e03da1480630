// What the pages of this tab show: what is real, or the account's test mode. Each tab chooses for itself, and keeps it until
// it is closed or signed out. A switch loads the page anew: nothing that was read or begun in one mode is there in the other.

import { keep, readKept } from './browser-storage.ts';
import { viewedAccount } from './panel-view.ts';

export type PanelMode = 'live' | 'test';

const storageName = 'sellthrough-mode';

export const panelMode: PanelMode = keptMode();

/** The service heeds it where a request is about the account's own data, and nowhere else. */
export const modeHeaders: Readonly<Record<string, string>> =
  panelMode === 'test' ? { 'sellthrough-mode': 'test' } : {};

/** The pages about the account's own data, by the router's path; every other one shows what is real. */
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

/** Loads the same page in the other mode; from one order, customer or endpoint, which the other has not got, their list. */
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
  // Tests of another account are not looked at.
  if (viewedAccount !== null) return 'live';
  return readKept(storageName, 'sessionStorage') === 'test' ? 'test' : 'live';
}
