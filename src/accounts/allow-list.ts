// An account's IP allow-list: IPv4 and IPv6 addresses and CIDR ranges. Entries are checked for spelling
// on entry, because net.BlockList silently accepts ranges with host bits set.

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What an account may send from. An empty list allows every address. */
export interface AllowList {
  allows(address: string): boolean;
}

/** Why an entry cannot be taken, in a few words; null when it can. */
export function allowListProblem(entry: string): string | null {
  const [address = '', bits, ...rest] = entry.split('/');
  if (rest.length > 0 || (!isIPv4(address) && !isIPv6(address)) || address.includes('%')) {
    return 'not an IP address or CIDR range';
  }
  if (bits === undefined) return null;
  const bitsMax = isIPv4(address) ? 32 : 128;
  if (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > bitsMax)
    return `the prefix length must be 0 to ${bitsMax}`;
  return hasHostBits(address, Number(bits)) ? 'the address has bits set beyond the prefix length' : null;
}

export function createAllowList(entries: readonly string[]): AllowList {
  if (entries.length === 0) return { allows: () => true };
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
    allows(address) {
      const plain = plainAddress(address);
      if (isIPv4(plain)) return list.check(plain, 'ipv4');
      return isIPv6(plain) && list.check(plain, 'ipv6');
    },
  };
}

/** "192.0.2.1" for "::ffff:192.0.2.1", however it is spelled: one machine, one address. */
export function plainAddress(address: string): string {
  const withoutZone = address.split('%')[0] ?? '';
  if (!isIPv6(withoutZone)) return withoutZone;
  const words = ipv6Words(withoutZone);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  if (!isMapped) return withoutZone;
  const [high = 0, low = 0] = words.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** The /64 an IPv6 address is in, an IPv4 address itself: what one customer of a provider can change at will. */
export function addressNeighbourhood(address: string): string {
  const plain = plainAddress(address);
  return isIPv6(plain)
    ? ipv6Words(plain)
        .slice(0, 4)
        .map((word) => word.toString(16))
        .join(':')
    : plain;
}

function hasHostBits(address: string, prefixBits: number): boolean {
  const bytes = isIPv4(address)
    ? address.split('.').map(Number)
    : ipv6Words(address).flatMap((word) => [word >> 8, word & 255]);
  return bytes.some((byte, index) => {
    const networkBits = Math.min(8, Math.max(0, prefixBits - index * 8));
    return (byte & (0xff >> networkBits)) !== 0;
  });
}

/** The eight 16-bit words of a valid IPv6 address. */
function ipv6Words(address: string): number[] {
  const [head = '', tail] = dottedToHex(address).split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function dottedToHex(address: string): string {
  const match = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (match === null) return address;
  const [, front = '', a, b, c, d] = match;
  const word = (high: string | undefined, low: string | undefined) =>
    (Number(high) * 256 + Number(low)).toString(16);
  return `${front}${word(a, b)}:${word(c, d)}`;
}
