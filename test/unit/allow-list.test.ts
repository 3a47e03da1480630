// Allow-lists (src/shared/allow-list.ts): which spellings they accept and which addresses they admit.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allowListProblem, createAllowList } from '../../src/shared/allow-list.ts';
import {
  addressNeighborhood,
  addressOwner,
  limitedNetworks,
  plainAddress,
} from '../../src/shared/ip-addresses.ts';

describe('an entry is an address or a range without host bits', () => {
  const notOne = 'not an IP address or CIDR range';
  const hostBits = 'the address has bits set beyond the prefix length';
  const table: [entry: string, problem: string | null][] = [
    ['192.0.2.1', null],
    ['192.0.2.0/24', null],
    ['192.0.2.128/25', null],
    ['192.0.2.1/32', null],
    ['0.0.0.0/0', null],
    ['2001:db8::', null],
    ['2001:db8::/32', null],
    ['2001:DB8:0:0:0:0:0:1/128', null],
    ['::/0', null],
    ['::ffff:192.0.2.1', null],
    ['::ffff:192.0.2.0/120', null],
    ['fe80::/10', null],
    ['192.0.2.1/24', hostBits],
    ['192.0.2.129/25', hostBits],
    ['10.0.0.0/7', null],
    ['11.0.0.0/7', hostBits],
    ['128.0.0.0/0', hostBits],
    ['2001:db8::1/64', hostBits],
    ['2001:db8:8000::/32', hostBits],
    ['::ffff:192.0.2.1/120', hostBits],
    ['192.0.2.0/33', 'the prefix length must be 0 to 32'],
    ['2001:db8::/129', 'the prefix length must be 0 to 128'],
    ['192.0.2.0/024', 'the prefix length must be 0 to 32'],
    ['192.0.2.0/', 'the prefix length must be 0 to 32'],
    ['192.0.2.0/-1', 'the prefix length must be 0 to 32'],
    ['192.0.2.0/ 24', 'the prefix length must be 0 to 32'],
    ['192.0.2.0/24/24', notOne],
    ['192.0.2', notOne],
    ['192.0.2.256', notOne],
    ['192.0.2.01', notOne],
    [' 192.0.2.1', notOne],
    ['fe80::1%eth0', notOne],
    ['example.com', notOne],
    ['2001:db8:::1', notOne],
    ['', notOne],
    ['/24', notOne],
    ['*', notOne],
  ];
  for (const [entry, problem] of table) {
    test(`"${entry}" ${problem === null ? 'is taken' : `is refused: ${problem}`}`, () =>
      assert.equal(allowListProblem(entry), problem));
  }
});

describe('who is let in', () => {
  const table: [entries: string[], allowed: string[], refused: string[]][] = [
    [[], ['192.0.2.1', '2001:db8::1', 'anything'], []],
    [
      ['192.0.2.1'],
      ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:FFFF:192.0.2.1'],
      ['192.0.2.2', '2001:db8::1', '::192.0.2.1'],
    ],
    [['::ffff:192.0.2.1'], ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2']],
    [['192.0.2.0/25'], ['192.0.2.0', '192.0.2.127', '::ffff:192.0.2.5'], ['192.0.2.128', '192.0.1.255']],
    [['::ffff:192.0.2.0/121'], ['192.0.2.127', '::ffff:192.0.2.0'], ['192.0.2.128']],
    [['::ffff:0:0/96'], ['192.0.2.1', '255.255.255.255'], ['2001:db8::1', '::1']],
    [
      ['2001:db8::/32'],
      ['2001:db8::1', '2001:DB8:ffff:0::', '2001:0db8:0000:0000:0000:0000:0000:0001'],
      ['2001:db9::', '192.0.2.1'],
    ],
    [['2001:db8::1'], ['2001:db8::1', '2001:db8:0:0::1'], ['2001:db8::2']],
    [['fe80::/10'], ['fe80::1%eth0', 'febf::1'], ['fec0::1']],
    [['::/0'], ['2001:db8::1', '::1', '192.0.2.1'], []],
    [['0.0.0.0/0'], ['192.0.2.1', '::ffff:192.0.2.1'], ['2001:db8::1']],
    [
      ['192.0.2.1', '198.51.100.0/24', '2001:db8::/48'],
      ['192.0.2.1', '198.51.100.77', '2001:db8::9'],
      ['198.51.101.0', '2001:db8:1::'],
    ],
    [['192.0.2.1'], [], ['', 'unknown', '192.0.2.1.example', '192.0.2']],
  ];
  for (const [entries, allowed, refused] of table) {
    test(entries.length === 0 ? 'an empty list lets everybody in' : `[${entries.join(', ')}]`, () => {
      const list = createAllowList(entries);
      for (const address of allowed) assert.equal(list.allows(address), true, address);
      for (const address of refused) assert.equal(list.allows(address), false, address);
    });
  }
});

describe('one machine has one address', () => {
  const table: [address: string, plain: string, neighborhood: string][] = [
    ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::9', '2001:0DB8:0001:0002::9', '2001:db8:1:2'],
    ['::1', '::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ];
  for (const [address, plain, neighborhood] of table) {
    test(`${address} is ${plain}, in ${neighborhood}`, () => {
      assert.equal(plainAddress(address), plain);
      assert.equal(addressNeighborhood(address), neighborhood);
    });
  }
});

test('an IPv6 address is limited with its /64 and, less strictly, with its /48; an IPv4 address by itself', () => {
  const networksOf = (address: string) =>
    limitedNetworks(address).map(({ network, limitFactor }) => `${network} ${limitFactor}`);
  assert.deepEqual(networksOf('2001:db8:1:2:3:4:5:6'), ['2001:db8:1:2 1', '2001:db8:1 4']);
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1'])
    assert.deepEqual(networksOf(address), ['192.0.2.1 1']);
  const owners = ['2001:db8:1:2::3', '2001:DB8:1::', '192.0.2.1', '::ffff:192.0.2.9', 'unknown'];
  assert.deepEqual(owners.map(addressOwner), ['2001:db8:1', '2001:db8:1', '192.0.2', '192.0.2', 'unknown']);
});
