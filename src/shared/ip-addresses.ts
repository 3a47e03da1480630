import { BlockList, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** "192.0.2.1" for "::ffff:192.0.2.1" in any spelling. */
export function plainAddress(address: string): string {
  const withoutZone = address.split('%')[0] ?? '';
  if (!isIPv6(withoutZone)) return withoutZone;
  const parsed = parseAddress(withoutZone);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : withoutZone;
}

/** The /64 of an IPv6 address, or the IPv4 address. A provider's customer can freely choose addresses within it. */
export function addressNeighborhood(address: string): string {
  const plain = plainAddress(address);
  return ipv6Network(plain, 4) ?? plain;
}

/** `limitFactor`: its limit as a multiple of a neighborhood's. */
export interface LimitedNetwork {
  readonly network: string;
  readonly limitFactor: number;
}

/** Any company can hold a /48 with 65,536 neighborhoods; together these get four times the limit of one. */
const wideLimitFactor = 4;

export function limitedNetworks(address: string): readonly LimitedNetwork[] {
  const neighborhood = { network: addressNeighborhood(address), limitFactor: 1 };
  const wide = ipv6Network(plainAddress(address), 3);
  return wide === null ? [neighborhood] : [neighborhood, { network: wide, limitFactor: wideLimitFactor }];
}

/** The network whose share of a queue an address uses: its /48, or its /24 for IPv4. */
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

/** Requires a valid address without a zone. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  // The library takes the deprecated "::192.0.2.1" for a mapped address.
  const dotted = /^::(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted === undefined) return ipaddr.parse(address);
  return new ipaddr.IPv6([...new Array<number>(12).fill(0), ...ipaddr.IPv4.parse(dotted).octets]);
}

export interface AddressRanges {
  include(address: string): boolean;
}

/** Entries must pass `allowListProblem`. An IPv4 address also matches its mapped form. */
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
