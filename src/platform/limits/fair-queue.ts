// A bounded queue shared by independent parties, such as accounts whose requests are logged.
// Invariant: parties take turns, and a full queue drops an item of the party with the most, so a busy party displaces only
// its own items.

export interface FairQueue<Party, Item> {
  /** @returns the item that was dropped: this one, or the newest of the fullest party; null if all fit */
  push(party: Party, item: Item): Item | null;
  shift(): Item | undefined;
  size(): number;
}

export function createFairQueue<Party, Item>(itemsMax: number): FairQueue<Party, Item> {
  const waiting = new Map<Party, Item[]>();
  let size = 0;
  // An upper bound of any party's items. After removals it may be too high, and is then recomputed.
  let most = 0;

  function add(party: Party, item: Item): void {
    const items = waiting.get(party) ?? [];
    if (items.push(item) === 1) waiting.set(party, items);
    most = Math.max(most, items.length);
    size += 1;
  }

  function largest(): Item[] {
    let found: Item[] = [];
    for (const items of waiting.values()) if (items.length > found.length) found = items;
    most = found.length;
    return found;
  }

  return {
    push(party, item) {
      if (size < itemsMax) {
        add(party, item);
        return null;
      }
      const own = waiting.get(party)?.length ?? 0;
      // In a flood, this refuses the busiest party's item without scanning all parties.
      if (own + 1 >= most) return item;
      const fullest = largest();
      if (own + 1 >= fullest.length) return item;
      const dropped = fullest.pop();
      size -= 1;
      add(party, item);
      return dropped ?? null;
    },
    shift() {
      const [turn] = waiting;
      if (turn === undefined) return undefined;
      const [party, items] = turn;
      const item = items.shift();
      waiting.delete(party);
      if (items.length > 0) waiting.set(party, items);
      size -= 1;
      return item;
    },
    size: () => size,
  };
}
