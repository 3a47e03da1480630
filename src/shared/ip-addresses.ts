// One spelling for each machine's address, and lists of addresses: for allow-lists, limits, what people are shown, and what
// the service calls.

import { BlockList, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** "192.0.2.1" for "::ffff:192.0.2.1", however it is spelled: one machine, one address. */
export function plainAddress(address: string): string {
  const withoutZone = address.split('%')[0] ?? '';
  if (!isIPv6(withoutZone)) return withoutZone;
  const parsed = parseAddress(withoutZone);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : withoutZone;
}

/** The /64 that an IPv6 address is in, an IPv4 address itself: what one customer of a provider can change at will. */
export function addressNeighbourhood(address: string): string {
  const plain = plainAddress(address);
  return ipv6Network(plain, 4) ?? plain;
}

/** A network whose attempts are limited together, and how many times the limit of one neighbourhood it has. */
export interface LimitedNetwork {
  readonly network: string;
  readonly limitFactor: number;
}

/** Who holds a /48, as any company can, holds 65,536 neighbourhoods: together they have the limit of four. */
const wideLimitFactor = 4;

/** The neighbourhood of an address, and the /48 around it. */
export function limitedNetworks(address: string): readonly LimitedNetwork[] {
  const neighbourhood = { network: addressNeighbourhood(address), limitFactor: 1 };
  const wide = ipv6Network(plainAddress(address), 3);
  return wide === null ? [neighbourhood] : [neighbourhood, { network: wide, limitFactor: wideLimitFactor }];
}

/** Whose share of a queue an address has: the /48 of an IPv6 address, the /24 of an IPv4 address. */
export function addressOwner(address: string): string {
  const plain = plainAddress(address);
  return ipv6Network(plain, 3) ?? plain.split('.').slice(0, 3).join('.');
}

function ipv6Network(plain: string, words: number): string | null {
  const parsed = isIPv6(plain) ? parseAddress(plain) : null;
  if (!(parsed instanceof ipaddr.IPv6)) return null;
  const network = parsed.parts.slice(0, words);
  return network.map((word) => word.toString(16)).join(':');
}

/** A valid address, without a zone. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  // The library takes the deprecated "::192.0.2.1" for a mapped address, which it is not.
  const dotted = /^::(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted === undefined) return ipaddr.parse(address);
  return new ipaddr.IPv6([...new Array<number>(12).fill(0), ...ipaddr.IPv4.parse(dotted).octets]);
}

/** Some addresses. */
export interface AddressRanges {
  include(address: string): boolean;
}

/** Of addresses and CIDR ranges that `allowListProblem` has nothing against. An IPv4 address is also its mapped one. */
export function createAddressRanges(entries: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const plain = plainAddress(address);
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(plain, family);
    else if (plain === address) list.addSubnet(address, Number(bits), family);
    else if (Number(bits) >= 96) list.addSubnet(plain, Number(bits) - 96, 'ipv4');
    else list.addSubnet(address, Number(bits), 'ipv6');
  }
  return {
    include(address) {
      const plain = plainAddress(address);
      if (isIPv4(plain)) return list.check(plain, 'ipv4');
      return isIPv6(plain) && list.check(plain, 'ipv6');
    },
  };
}
