// Acts as a customer's browser with a login link, without a real browser.

import { sendRequest, type WholeAnswer } from '../../scripts/throwaway/send-request.ts';

export type Page = WholeAnswer;

/** Does not follow redirects. */
export function openPage(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  return sendRequest(address + path, { method, headers });
}

/** Its origin is the public address, which is not the test service's. */
export function pathOfLink(loginUrl: string): string {
  return new URL(loginUrl).pathname;
}

export function cookieOf({ headers }: Page): string {
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}
