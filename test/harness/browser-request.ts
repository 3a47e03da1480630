// What a customer's browser does with a login link, without a browser.

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Redirects are answers here: nothing is followed. */
export async function openPage(
  address: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  const response = await fetch(address + path, { method, redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The path of a login_url: its origin is the public one, not where the test's service listens. */
export function pathOfLink(loginUrl: string): string {
  return new URL(loginUrl).pathname;
}

/** "name=value" of the cookie that was set. */
export function cookieOf({ headers }: Page): string {
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}
