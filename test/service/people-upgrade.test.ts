// The upgrade from one login per account to people: each login becomes an owner and keeps its password and sessions.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../scripts/throwaway/test-database.ts';
import { createSessionStore } from '../../src/features/auth/session-store.ts';
import { findTotpHolders } from '../../src/features/auth/totp-store.ts';
import { findCredentials, listPeople } from '../../src/features/identity/find-people.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { migrate, readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';

const all = readMigrations();
const earlier = all.slice(
  0,
  all.findIndex(({ name }) => name.endsWith('-people.sql')),
);
const made = 1_768_478_400;
const token = 'a-token-of-256-random-bits';
const tokenHash = createHash('sha256').update(token).digest('base64url');
const accountsMany = 5_000;

let testDatabase: TestDatabase;
let database: Database;
before(async () => {
  testDatabase = await createTestDatabase({ isEmpty: true });
  database = await connectDatabase({ database: testDatabase.config });
});
after(async () => {
  await database.close();
  await testDatabase.remove();
});

const run = (text: string) => database.query({ name: '', text });

test('logins become owners with their passwords, sessions, codes and links; thousands in a moment', async () => {
  assert.ok(earlier.length >= 17, 'there was a schema before people');
  await migrate(database, { migrations: earlier });
  const account = (id: number, more: string) =>
    `insert into accounts (username, display_name, search_text, group_name, is_admin, created_at, email,
      password_hash, password_version, must_change_password)
      values ('login-${id}', 'Login', 'login', 'distributor', ${id === 1}, to_timestamp(${made}), ${more})`;
  await run(account(1, "'a@example.com', 'hash of 1', 4, false"));
  await run(account(2, 'null, null, 1, false'));
  await run(account(3, "null, 'hash of 3', 2, true"));
  await run(`insert into accounts (username, display_name, search_text, group_name, is_admin, created_at, password_hash)
    select 'many-' || n, 'Many', 'many', 'reseller', false, now(), 'hash' from generate_series(1, ${accountsMany}) n`);
  await run(`insert into sessions (account_id, token_hash, password_version, created_at, last_seen_at, address, user_agent)
    values (1, '${tokenHash}', 4, to_timestamp(${made}), to_timestamp(${made}), '::1', 'a browser'),
      (3, 'ended by another password', 1, to_timestamp(${made}), to_timestamp(${made}), '::1', '')`);
  await run(`insert into totp_secrets (account_id, sealed_secret, created_at, enabled_at)
    values (1, 'sealed', to_timestamp(${made}), to_timestamp(${made})), (3, 'begun', to_timestamp(${made}), null)`);
  await run(`insert into recovery_codes (account_id, code_hash) values (1, 'one'), (1, 'two')`);
  await run(`insert into known_addresses (account_id, network, last_seen_at) values (1, '192.0.2.1', now())`);
  await run(`insert into password_links (token_hash, account_id, purpose, password_version, created_at, expires_at)
    values ('hash', 2, 'invitation', 1, now(), now() + interval '1 day')`);

  await migrate(database);

  const person = (id: number) => ({
    id,
    accountId: id,
    username: `login-${id}`,
    email: null,
    role: 'owner',
    createdAt: made,
    language: null,
    clock: null,
    isRemoved: false,
  });
  assert.deepEqual(await listPeople(database, 1), [
    {
      ...person(1),
      passwordHash: 'hash of 1',
      passwordVersion: 4,
      mustChangePassword: false,
      lastSignInAt: made,
    },
  ]);
  assert.deepEqual(await listPeople(database, 2), [
    { ...person(2), passwordHash: null, passwordVersion: 1, mustChangePassword: false, lastSignInAt: null },
  ]);
  assert.deepEqual(await listPeople(database, 3), [
    {
      ...person(3),
      passwordHash: 'hash of 3',
      passwordVersion: 2,
      mustChangePassword: true,
      lastSignInAt: made,
    },
  ]);
  const known = await findCredentials(database, 'login-1');
  assert.deepEqual(
    [known?.account.id, known?.account.email, known?.passwordVersion],
    [1, 'a@example.com', 4],
  );
  const [counted] = await run('select count(*)::int as people from people');
  assert.equal(counted?.['people'], accountsMany + 3);

  const sessions = createSessionStore(database, defaultLimits.sessions);
  const found = await sessions.find({ personId: 1, token }, made + 60);
  assert.deepEqual(
    [found?.person.id, found?.account.id, found?.isTotpEnabled, found?.session.confirmedAt],
    [1, 1, true, null],
  );
  assert.deepEqual(await findTotpHolders(database, [1, 2, 3]), new Set([1]));
  for (const [table, count] of [
    ['recovery_codes', 2],
    ['known_addresses', 1],
    ['password_links', 0],
  ] as const) {
    const [row] = await run(`select count(*)::int as count from ${table} where person_id = 1`);
    assert.equal(row?.['count'], count, table);
  }
});

test('anyone who comes later has a number that no account can have', async () => {
  const [row] = await run(`insert into people (account_id, username, role, created_at)
    values (1, 'invited', 'viewer', now()) returning id`);
  assert.equal(row?.['id'], 10_000_001);
});
