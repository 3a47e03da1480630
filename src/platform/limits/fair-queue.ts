// A bounded queue shared by parties that do not know each other: accounts whose requests are logged, networks whose
// passwords are checked. Called by request-log/request-log.ts and secrets/password-hash.ts.
// Always true: a full queue makes room for whoever has less waiting than another, at the cost of whoever has most;
// and parties take turns. So one of them, however busy, keeps only its own items out.

export interface FairQueue<Party, Item> {
  /** Adds the item. What has no place is returned: it, or the newest of the party that has most; null: all have one. */
  push(party: Party, item: Item): Item | null;
  /** The oldest of the party whose turn it is. */
  shift(): Item | undefined;
  size(): number;
}

export function createFairQueue<Party, Item>(itemsMax: number): FairQueue<Party, Item> {
  /** In the order of their turns; none is empty. */
  const waiting = new Map<Party, Item[]>();
  let size = 0;
  // No party has more. It may be too much since items were taken away: then who has most is looked up anew.
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
      // A flood ends here, without a look at the others.
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
