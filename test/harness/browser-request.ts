// What a customer's browser does with a login link, without a browser.

import { sendRequest, type WholeAnswer } from '../../scripts/throwaway/send-request.ts';

export type Page = WholeAnswer;

/** Redirects are answers here: nothing is followed. */
export function openPage(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  return sendRequest(address + path, { method, headers });
}

/** The path of a login_url: its origin is the public one, not where the test's service listens. */
export function pathOfLink(loginUrl: string): string {
  return new URL(loginUrl).pathname;
}

/** "name=value" of the cookie that was set. */
export function cookieOf({ headers }: Page): string {
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}
