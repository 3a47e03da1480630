// IP allow-lists. Entries are validated because net.BlockList silently accepts ranges with host bits set.

import { isIPv4, isIPv6 } from 'node:net';
import { fieldRefusal, type Refusal, refusal } from './error-catalog.ts';
import { createAddressRanges, parseAddress, plainAddress } from './ip-addresses.ts';

/** An empty list allows every address. */
export interface AllowList {
  allows(address: string): boolean;
}

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

export function allowedIpsRefusal(entries: readonly string[] | undefined): Refusal | null {
  for (const [index, entry] of (entries ?? []).entries()) {
    const problem = allowListProblem(entry);
    if (problem !== null) return fieldRefusal('validation_failed', `allowed_ips.${index}`, problem);
  }
  return null;
}

/** Refuses a list without the caller's own address, unless confirmed. */
export function lockOutRefusal(
  entries: readonly string[],
  address: string,
  isConfirmed: boolean,
): Refusal | null {
  if (isConfirmed || createAllowList(entries).allows(address)) return null;
  return refusal('address_locked_out', { address: plainAddress(address) });
}

export function createAllowList(entries: readonly string[]): AllowList {
  if (entries.length === 0) return { allows: () => true };
  const ranges = createAddressRanges(entries);
  return { allows: (address) => ranges.include(address) };
}

function hasHostBits(address: string, prefixBits: number): boolean {
  const bytes = parseAddress(address).toByteArray();
  return bytes.some((byte, index) => {
    const networkBits = Math.min(8, Math.max(0, prefixBits - index * 8));
    return (byte & (0xff >> networkBits)) !== 0;
  });
}
