// How names are resolved for outbound calls (src/platform/outbound/resolve-name.ts), with a test name server.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createNameResolver } from '../../src/platform/outbound/resolve-name.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { type NameServer, startNameServer } from '../harness/name-server.ts';

describe('a name is resolved', () => {
  let server: NameServer;
  before(async () => {
    server = await startNameServer({
      'old.example': ['192.0.2.1', '192.0.2.2'],
      'new.example': ['2001:db8:0:0:0:0:0:1'],
      'both.example': ['192.0.2.1', '2001:db8:0:0:0:0:0:1', '127.0.0.1', '0:0:0:0:0:ffff:a00:1'],
      'empty.example': [],
    });
  });
  after(() => server.close());

  const resolverOf = (options: { readonly usesSystem: boolean }) =>
    createNameResolver({ ...options, limits: defaultLimits.outbound, nameServers: [server.address] });

  const table: readonly (readonly [name: string, addresses: readonly string[]])[] = [
    ['old.example', ['192.0.2.1', '192.0.2.2']],
    ['new.example', ['2001:db8::1']],
    ['both.example', ['127.0.0.1', '192.0.2.1', '2001:db8::1', '::ffff:10.0.0.1']],
    ['empty.example', []],
    ['nowhere.example', []],
  ];
  for (const [name, addresses] of table) {
    test(`${name} leads to ${addresses.join(', ') || 'nothing'}`, async () => {
      const resolver = resolverOf({ usesSystem: false });
      assert.deepEqual([...(await resolver.resolve(name))].sort(), addresses);
      resolver.close();
    });
  }

  test('localhost is this machine, and no name server is asked', async () => {
    const resolver = resolverOf({ usesSystem: false });
    for (const name of ['localhost', 'localhost.', 'a.b.localhost']) {
      assert.deepEqual(await resolver.resolve(name), ['127.0.0.1', '::1']);
    }
    assert.deepEqual(
      server.asked.filter((question) => question.includes('localhost')),
      [],
    );
    resolver.close();
  });

  test('what name servers know is not looked up in the system', async () => {
    const resolver = resolverOf({ usesSystem: true });
    assert.deepEqual(await resolver.resolve('old.example'), ['192.0.2.1', '192.0.2.2']);
    resolver.close();
  });

  test('a hundred names whose servers are silent delay no other name, and are given up at once', async () => {
    const resolver = resolverOf({ usesSystem: false });
    let given = 0;
    const silent = Array.from({ length: 100 }, async (_, index) => {
      const found = await resolver.resolve(`silent-${index}.example`);
      given += 1;
      return found;
    });
    assert.deepEqual(await resolver.resolve('old.example'), ['192.0.2.1', '192.0.2.2']);
    assert.equal(given, 0);
    resolver.close();
    assert.deepEqual((await Promise.all(silent)).flat(), []);
  });
});
