// The account whose panel an administrator views in this tab, until it is closed, left or signed out. Switching reloads the
// page, so that nothing read before remains.

import { keep, readKept } from './browser-storage.ts';

const storageName = 'sellthrough-view';

export const viewedAccount: string | null = keptView();

/** The service then answers for that account, read-only. */
export const viewHeaders: Readonly<Record<string, string>> =
  viewedAccount === null ? {} : { 'x-view-account': viewedAccount };

export function startView(accountId: number): void {
  window.sessionStorage.setItem(storageName, String(accountId));
  window.location.assign(import.meta.env.BASE_URL);
}

/** Returns to the account's console page; ends the view for all tabs of the session. */
export async function leaveView(): Promise<void> {
  forgetView();
  // Without the view's headers, which forbid changes. If this fails, the view ends within the hour.
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
