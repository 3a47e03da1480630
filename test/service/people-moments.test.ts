// Somebody who is removed, or given another role, at the worst moment of a request of theirs: after the door has let it in,
// while its password is looked at, right before it is carried out.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { signIn, testPassword } from '../harness/panel-client.ts';
import { addPerson, ownPassword, peoplePath, type TestPerson } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

/** After which statement of a request something happens, once. */
interface Moment {
  readonly statement: string;
  readonly happens: () => Promise<unknown>;
}

let service: TestService;
let moment: Moment | null = null;
let account: TestAccount;
let owner: TestPerson;
before(async () => {
  service = await startTestService({
    wrapDatabase: (database) => ({
      ...database,
      async query(statement, values, rank) {
        const rows = await database.query(statement, values, rank);
        if (moment?.statement === statement.name) {
          const { happens } = moment;
          moment = null;
          await happens();
        }
        return rows;
      },
    }),
  });
});
after(() => service.close());
beforeEach(async () => {
  account = await service.createReseller({ credit: '100.00' });
  owner = await addPerson(service, account, 'owner');
});

const pathOf = ({ id }: TestPerson) => `${peoplePath(account)}/${id}`;
const removal = async () => expectStatus(await service.admin.send('DELETE', pathOf(owner)), 200);
const demotion = async () => expectStatus(await service.admin.patch(pathOf(owner), { role: 'viewer' }), 200);

async function sent(statement: string, happens: Moment['happens'], request: () => Promise<Answer>) {
  moment = { statement, happens };
  const answer = await request();
  assert.equal(moment, null, `${statement} was sent`);
  return answer;
}

test('an order of somebody who is removed or demoted after the door let it in is not carried out', async () => {
  for (const [happens, expected] of [
    [demotion, '403 insufficient_scope'],
    [removal, '401 not_signed_in'],
  ] as const) {
    const order = { package_id: service.packages.basic, customer: 'too-late' };
    const answer = await sent('find_session', happens, () => owner.panel.post('/v1/orders', order));
    expectRefusal(answer, expected);
    assert.equal((await account.get('/balance')).body.balance, '100.00');
    if (happens === demotion) {
      expectStatus(await service.admin.patch(pathOf(owner), { role: 'owner' }), 200);
    }
  }
});

test('a dangerous deed of somebody who is removed while the password is looked at is not done', async () => {
  const key = account.key;
  const reset = () => owner.panel.post('/api-key/reset', { password: ownPassword });
  expectRefusal(await sent('find_password_hash', removal, reset), '401 not_signed_in');
  assert.equal((await account.get('/balance')).status, 200, `${key.slice(-4)} is still the key`);
});

test('nor is a new password set, which would bring nobody back', async () => {
  const own = { id: account.id };
  const change = { current_password: ownPassword, new_password: 'of somebody who is gone' };
  const password = () => owner.panel.post('/password', change);
  expectRefusal(await sent('confirm_session', removal, password), '401 not_signed_in');
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [own.id],
  );
});

test('an account’s own login that is removed while it changes its password stays removed', async () => {
  const login = await signIn(service, account);
  const change = { current_password: testPassword, new_password: 'of somebody who is gone' };
  const removed = async () =>
    expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${account.id}`), 200);
  const answer = await sent('confirm_session', removed, () => login.post('/password', change));
  expectRefusal(answer, '401 not_signed_in');
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [owner.id],
  );
});

test('whoever is removed or demoted right before it invites, changes and removes nobody', async () => {
  const colleague = await addPerson(service, account, 'viewer');
  const confirmed = { password: ownPassword };
  const deeds: readonly (() => Promise<Answer>)[] = [
    () => owner.panel.post('/people', { username: 'too.late', role: 'owner', ...confirmed }),
    () => owner.panel.patch(`/people/${colleague.id}`, { role: 'owner', ...confirmed }),
    () => owner.panel.patch(`/people/${owner.id}`, { role: 'owner', ...confirmed }),
    () => owner.panel.put('/email', { email: 'too.late@example.com', ...confirmed }),
  ];
  for (const deed of deeds.slice(0, 3)) {
    expectRefusal(await sent('confirm_session', demotion, deed), '403 insufficient_scope', {
      scope: 'people:write',
    });
    expectStatus(await service.admin.patch(pathOf(owner), { role: 'owner' }), 200);
  }
  for (const deed of deeds) {
    expectRefusal(await sent('confirm_session', removal, deed), '401 not_signed_in');
    owner = await addPerson(service, account, 'owner');
  }
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ role, email }: { role: string; email?: string }) => [role, email]),
    [
      ['owner', undefined],
      ['viewer', undefined],
      ['owner', undefined],
    ],
  );
});
