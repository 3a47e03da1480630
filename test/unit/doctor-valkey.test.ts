import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkValkey } from '../../src/cli/doctor/doctor-valkey.ts';
import { readValkeyUrl } from '../../src/platform/limits/valkey-address.ts';
import { readConfig } from '../../src/setup/config.ts';
import { type LimitStandIn, startLimitStandIn } from '../harness/limit-stand-in.ts';

let standIn: LimitStandIn;
before(async () => {
  standIn = await startLimitStandIn();
});
after(() => standIn.close());

const cases: readonly (readonly [says: string, info: string, state: string, expected: RegExp])[] = [
  [
    'a good one',
    'redis_version:7.0.15',
    'ok',
    /^Redis 7\.0\.15 at 127\.0\.0\.1:\d+, and nothing is evicted$/,
  ],
  ['Valkey', 'valkey_version:8.0.1', 'ok', /^Valkey 8\.0\.1 at /],
  [
    'one that evicts',
    'maxmemory_policy:allkeys-lru',
    'warn',
    /maxmemory-policy allkeys-lru, .*: set noeviction$/,
  ],
  ['an old one', 'redis_version:5.0.14', 'fail', /too old/],
  ['a replica', 'role:slave', 'fail', /must point to the primary/],
  ['a cluster', 'cluster_enabled:1', 'fail', /part of a cluster/],
];
for (const [title, line, state, expected] of cases) {
  test(`doctor says of the shared limits' server what it is and what to do: ${title}`, async () => {
    // If a name occurs twice, its last line counts.
    standIn.info = ['redis_version:7.0.15', 'maxmemory_policy:noeviction', 'role:master', line];
    standIn.manner = 'model';
    const check = await checkValkey(standIn.address);
    assert.equal(check.state, state, check.says);
    assert.match(check.says, expected);
  });
}

test('doctor tries the script, and names the server without its password', async () => {
  standIn.info = ['redis_version:7.0.15', 'maxmemory_policy:noeviction', 'role:master'];
  standIn.manner = 'error NOPERM this user has no permissions to run the eval command.';
  const address = readValkeyUrl(standIn.url.replace('//', '//limits:a%20secret@'));
  assert.equal(address?.password, 'a secret');
  assert.ok(address !== null);
  const { state, says } = await checkValkey(address);
  assert.equal(state, 'fail');
  assert.match(says, /cannot be used \(NOPERM .*\), so each process counts for itself: check VALKEY_URL$/);
  assert.doesNotMatch(says, /secret/);
});

test('VALKEY_URL is read whole: what is not understood is no address', () => {
  const full = { host: '::1', port: 6380, isTls: true, username: 'u', password: 'p@', database: 3 };
  assert.deepEqual(readValkeyUrl('rediss://u:p%40@[::1]:6380/3'), full);
  const plain = { host: 'h', port: 6379, isTls: false, username: null, password: null, database: 0 };
  for (const url of ['redis://h', 'redis://h/', 'valkey://h:6379/0'])
    assert.deepEqual(readValkeyUrl(url), plain);
  for (const url of [
    'h:6379',
    'http://h',
    'redis://',
    'redis:///1',
    'redis://h/x',
    'redis://h/1/2',
    'redis://h:70000',
    'redis://h?tls=1',
    'redis://h#1',
    'redis://:%zz@h',
    'redis://a,b',
  ])
    assert.equal(readValkeyUrl(url), null, url);
});

test('a VALKEY_URL that cannot be read stops the start, and is not repeated', () => {
  const environment = { VALKEY_URL: 'redis://:a-secret@limits.example.com:6379/zero' };
  assert.throws(
    () => readConfig(environment),
    (error: Error) => {
      assert.match(
        error.message,
        /^VALKEY_URL must look like redis:\/\/user:password@host:6379\/0 or rediss:/,
      );
      assert.doesNotMatch(error.message, /a-secret/);
      return true;
    },
  );
  assert.equal(readConfig({}).valkey, null);
});
