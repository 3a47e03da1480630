// Which requests may enter a demo without a password, and which services offer it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDirectChange, isDirectVisit } from '../../src/features/auth/direct-visit.ts';
import { mayLookAround } from '../../src/setup/demo-visitors.ts';

type Headers = Record<string, string>;

const here = 'http://127.0.0.1:3000';

function visit({
  headers = {},
  host = '127.0.0.1:3000',
  hosts = 1,
  version = '1.1',
  from = '127.0.0.1',
}: {
  readonly headers?: Headers;
  readonly host?: string;
  readonly hosts?: number;
  readonly version?: string;
  readonly from?: string;
} = {}) {
  return {
    headers: { ...(host !== '' && { host }), ...headers },
    raw: { httpVersion: version, headersDistinct: { host: Array(hosts).fill(host) } },
    socket: { remoteAddress: from },
  };
}

describe('a direct visit', () => {
  for (const [host, from] of [
    ['127.0.0.1:3000', '127.0.0.1'],
    ['localhost:3000', '::1'],
    ['localhost', '::ffff:127.0.0.1'],
    ['[::1]:3000', '::1'],
    ['127.0.0.1:3000', '127.0.0.53'],
  ] as const) {
    test(`is one to ${host} from ${from}`, () => assert.ok(isDirectVisit(visit({ host, from }))));
  }

  for (const [what, changed] of [
    ['from the network', { from: '192.168.1.20' }],
    ['from an address in the network that begins like loopback', { from: '127.0.0.1.example' }],
    ['from a mapped address of the network', { from: '::ffff:10.0.0.2' }],
    ['without a known sender', { from: '' }],
    ['to a public name', { host: 'shop.example' }],
    ['to a name that begins like a local one', { host: 'localhost.example:3000' }],
    ['to a name that leads here (DNS rebinding)', { host: '127.0.0.1.nip.io:3000' }],
    ['to another address of this machine', { host: '192.168.1.20:3000' }],
    ['to any address', { host: '0.0.0.0:3000' }],
    ['without Host', { host: '' }],
    ['with two of Host', { hosts: 2 }],
    ['in the HTTP 1.0 of a proxy', { version: '1.0' }],
    ...[
      ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
      ...['x-forwarded-server', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip', 'cf-ray'],
    ].map((name) => [`with ${name}`, { headers: { [name]: '127.0.0.1' } }] as const),
  ] as const) {
    test(`is not one ${what}`, () => assert.equal(isDirectVisit(visit(changed)), false));
  }
});

describe('a change', () => {
  const change = (headers: Headers, more: Parameters<typeof visit>[0] = {}) =>
    isDirectChange(visit({ ...more, headers: { ...headers } }));

  test('comes from the page itself', () => {
    assert.ok(change({ origin: here }));
    assert.ok(change({ origin: here, 'sec-fetch-site': 'same-origin' }));
  });

  for (const [what, headers] of [
    ['without Origin', { 'sec-fetch-site': 'same-origin' }],
    ['from a page elsewhere', { origin: 'https://shop.example' }],
    ['from another port', { origin: 'http://127.0.0.1:3001' }],
    ['from another name of this machine', { origin: 'http://localhost:3000' }],
    ['from a page with TLS', { origin: 'https://127.0.0.1:3000' }],
    ['from a hidden page', { origin: 'null' }],
    ['from the same site only', { origin: here, 'sec-fetch-site': 'same-site' }],
    ['from another site', { origin: here, 'sec-fetch-site': 'cross-site' }],
    ['from an address that was typed', { origin: here, 'sec-fetch-site': 'none' }],
  ] as const) {
    test(`is refused ${what}`, () => assert.equal(change(headers), false));
  }

  test('is refused if it is not direct', () => {
    assert.equal(change({ origin: here }, { from: '10.0.0.2' }), false);
    assert.equal(change({ origin: 'http://shop.example' }, { host: 'shop.example' }), false);
  });
});

describe('a service offers it', () => {
  const embedded = { kind: 'embedded', dataDir: '/data' } as const;
  const service = { demo: true, database: embedded, host: '127.0.0.1', publicUrl: null, trustProxy: [] };

  test('as a demo on this machine', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      assert.ok(mayLookAround({ ...service, host }), host);
  });

  for (const [what, changed] of [
    ['without a demo', { demo: false }],
    ['on PostgreSQL', { database: { kind: 'postgres', connectionString: 'postgres://127.0.0.1/demo' } }],
    ['on every interface', { host: '0.0.0.0' }],
    ['on every interface of IPv6', { host: '::' }],
    ['at an address of the network', { host: '192.168.1.20' }],
    ['with a public address', { publicUrl: 'https://shop.example' }],
    ['behind a proxy', { trustProxy: ['127.0.0.1'] }],
  ] as const) {
    test(`never ${what}`, () => {
      const config = { ...service, ...changed } as Parameters<typeof mayLookAround>[0];
      assert.equal(mayLookAround(config), false);
    });
  }
});
