import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import type { Role } from '../../src/shared/scopes.ts';
import { createPanelClient, type PanelClient, setCookieOf, signInAnswer } from './panel-client.ts';

export const ownPassword = 'quite another battery staple';

export interface TestPerson {
  readonly id: number;
  readonly username: string;
  readonly panel: PanelClient;
}

export function peoplePath({ id }: Pick<TestAccount, 'id'>): string {
  return `/api/admin/v1/accounts/${id}/people`;
}

export function tokenOf(answer: Answer): string {
  assert.equal(answer.status, 201, answer.text);
  const [address, token = ''] = String(answer.body.invitation.url).split('#token=');
  assert.match(address ?? '', /\/panel\/reset-password$/);
  return token;
}

export function choosePassword(
  { address }: Pick<TestService, 'address'>,
  token: string,
  password = ownPassword,
): Promise<Answer> {
  return createPanelClient(address, '').post('/password-reset/complete', { token, new_password: password });
}

export async function enter(
  { address }: Pick<TestService, 'address'>,
  username: string,
  password = ownPassword,
): Promise<PanelClient> {
  const answer = await signInAnswer(address, { username, password });
  assert.equal(answer.status, 200, answer.text);
  return createPanelClient(address, setCookieOf(answer));
}

let count = 0;

export async function addPerson(
  service: TestService,
  account: Pick<TestAccount, 'id'>,
  role: Role,
): Promise<TestPerson> {
  count += 1;
  const username = `${role}-${count}`;
  const invited = await service.admin.post(peoplePath(account), { username, role });
  const chosen = await choosePassword(service, tokenOf(invited));
  assert.equal(chosen.status, 204, chosen.text);
  return { id: invited.body.person.id, username, panel: await enter(service, username) };
}

/** Enables TOTP for a signed-in person. Returns a function that makes the current code. */
export async function enableCodes(
  { clock }: Pick<TestService, 'clock'>,
  panel: PanelClient,
  password = ownPassword,
): Promise<() => string> {
  const begun = await panel.post('/totp', { password });
  assert.equal(begun.status, 201, begun.text);
  const secret = Secret.fromBase32(begun.body.secret);
  const code = () => new TOTP({ secret }).generate({ timestamp: clock.seconds * 1000 });
  const confirmed = await panel.post('/totp/confirm', { code: code() });
  assert.equal(confirmed.status, 201, confirmed.text);
  // Move the clock, because a code works only once.
  clock.seconds += 60;
  return code;
}
