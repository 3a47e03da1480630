/** How much more or less it is than before; null if there was too little before for a percentage to mean anything. */
export function changeShare(now: bigint, before: bigint): number | null {
  const change = now - before;
  return before <= 0n || change > before * 10n ? null : Number(change) / Number(before);
}
