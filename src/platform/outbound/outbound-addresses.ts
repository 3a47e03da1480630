// Decides which addresses the service may call: public unicast addresses, and those of OUTBOUND_ALLOW. Every resolved
// address is checked before each connection.
// Invariant: an IPv6 address that embeds an IPv4 address is judged by the IPv4 address. Invalid addresses are refused.

import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAddressRanges, parseAddress, plainAddress } from '../../shared/ip-addresses.ts';

export type AddressPlace = 'own' | 'public' | 'refused';

export interface AddressFilter {
  place(address: string): AddressPlace;
}

/** Entries of IANA's special-purpose registry that are not globally reachable, and addresses that clouds reserve. */
const refusedIpv4 = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; a cloud's metadata at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16', // Azure's platform: a public address that each of its machines reaches
  '169.254.0.0/16', // link-local; the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; a cloud's metadata at 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, obsolete
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; broadcast
];

/** All public addresses. Loopback, unique local, link-local and multicast addresses are outside this range. */
const globalIpv6 = ['2000::/3'];

const refusedIpv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, reachable only through the machine's own tunnel
  '3fff::/20', // documentation
];

export function createAddressFilter(allow: readonly string[]): AddressFilter {
  const own = createAddressRanges(allow);
  const refused = createAddressRanges([...refusedIpv4, ...refusedIpv6]);
  const global = createAddressRanges(globalIpv6);
  return {
    place(address) {
      const meant = innerAddress(address);
      if (own.include(meant)) return 'own';
      if (refused.include(meant)) return 'refused';
      return isIPv4(meant) || global.include(meant) ? 'public' : 'refused';
    },
  };
}

/** "::ffff:192.0.2.1" and NAT64's "64:ff9b::192.0.2.1" become the IPv4 address they reach. Other addresses lose their zone. */
function innerAddress(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const bytes = parseAddress(plain).toByteArray();
  return nat64.every((byte, index) => bytes[index] === byte)
    ? new ipaddr.IPv4(bytes.slice(nat64.length)).toString()
    : plain;
}

const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
