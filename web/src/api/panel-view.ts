// Whose panel the pages of this tab show, where an administrator looks at a reseller's as its owner sees it. Each tab keeps it for
// itself, until it is closed, left or signed out. A switch loads the page anew: nothing that was read before is there.

import { keep, readKept } from './browser-storage.ts';

const storageName = 'sellthrough-view';

/** null: one's own. */
export const viewedAccount: string | null = keptView();

/** The service answers for that account, and changes nothing. */
export const viewHeaders: Readonly<Record<string, string>> =
  viewedAccount === null ? {} : { 'x-view-account': viewedAccount };

export function startView(accountId: number): void {
  window.sessionStorage.setItem(storageName, String(accountId));
  window.location.assign(import.meta.env.BASE_URL);
}

/** Back to the account's page in the console; the session may look no longer, in any tab. */
export async function leaveView(): Promise<void> {
  forgetView();
  // As oneself: client.ts would ask in the name of the account, which changes nothing. What is not heard ends within the hour.
  await fetch(`${import.meta.env.BASE_URL}api/admin/accounts/${viewedAccount ?? ''}/view`, {
    method: 'DELETE',
    credentials: 'same-origin',
    keepalive: true,
  }).catch(() => undefined);
  window.location.assign(`${import.meta.env.BASE_URL}admin/accounts/${viewedAccount ?? ''}`);
}

export function forgetView(): void {
  if (viewedAccount !== null) keep(storageName, null, 'sessionStorage');
}

function keptView(): string | null {
  const kept = readKept(storageName, 'sessionStorage');
  return kept !== null && /^\d{1,7}$/.test(kept) ? kept : null;
}
