// The panel's requests without a browser: signs in, keeps the cookie, and sends the same headers as the pages.

import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';

export interface PanelClient {
  readonly cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export const ownPages = { 'sec-fetch-site': 'same-origin' };
export const testPassword = 'correct horse battery staple';

export function createPanelClient(address: string, cookie: string): PanelClient {
  const client = createApiClient(address, null);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    client.send(method, `/panel/api${path}`, body, {
      ...ownPages,
      ...(cookie === '' ? {} : { cookie }),
      ...headers,
    });
  return {
    cookie,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
}

export function signInAnswer(
  address: string,
  body: { username: string; password: string; code?: string },
  headers: Record<string, string> = {},
): Promise<Answer> {
  return createPanelClient(address, '').post('/sign-in', body, headers);
}

export function setCookieOf({ headers }: Answer): string {
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
}

export async function usernameOf(service: TestService, { id }: Pick<TestAccount, 'id'>): Promise<string> {
  return (await service.admin.get(`/api/admin/v1/accounts/${id}`)).body.account.username;
}

/** As if the person had chosen it. The hash takes no time; the service's own would take 30 ms, twice per sign-in. */
export async function setTestPassword(service: TestService, { id }: Pick<TestAccount, 'id'>): Promise<void> {
  const text = `update people set password_hash = $2, password_version = password_version + 1,
    must_change_password = false where id = $1::int`;
  await service.database.query({ name: '', text }, [id, cheapHash]);
}

const salt = randomBytes(16);
const weakest = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
const tag = argon2Sync('argon2id', { message: testPassword, nonce: salt, ...weakest });
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const cheapHash = `$argon2id$v=19$m=8,t=1,p=1$${base64(salt)}$${base64(tag)}`;

export async function signIn(
  service: TestService,
  account: Pick<TestAccount, 'id'>,
  { setPassword = true, address = service.address }: { setPassword?: boolean; address?: string } = {},
): Promise<PanelClient> {
  if (setPassword) await setTestPassword(service, account);
  const username = await usernameOf(service, account);
  const answer = await signInAnswer(address, { username, password: testPassword });
  assert.equal(answer.status, 200, answer.text);
  return createPanelClient(address, setCookieOf(answer));
}
