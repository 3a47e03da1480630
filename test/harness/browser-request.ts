// A customer's browser with a login link, without a browser.

import { sendRequest, type WholeAnswer } from '../../scripts/throwaway/send-request.ts';

export type Page = WholeAnswer;

/** Redirects are not followed. */
export function openPage(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  return sendRequest(address + path, { method, headers });
}

/** The path of a login_url: its origin is the public one, not the test service's. */
export function pathOfLink(loginUrl: string): string {
  return new URL(loginUrl).pathname;
}

export function cookieOf({ headers }: Page): string {
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}
