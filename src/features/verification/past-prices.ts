// Adds an entry to a package's logged history for each scheduled price that began, so that past-packages.ts reads a single
// history. Each price applied until the next change. Pure.

import type { EpochSeconds } from '../../shared/times.ts';
import { priceTable, type SomePrices } from '../packages/price-lines.ts';
import type { Recorded, Terms } from './package-terms.ts';

interface Beginning {
  readonly from: EpochSeconds;
  readonly prices: SomePrices;
}

export type PackageEntry =
  | ({ readonly kind: 'changed' } & Recorded<Terms>)
  | ({ readonly kind: 'scheduled'; readonly at: EpochSeconds } & Beginning)
  | ({ readonly kind: 'deleted'; readonly at: EpochSeconds } & Beginning);

/** `entries` are in log order. `present` is the package after all scheduled prices have begun. */
export function withScheduled(
  entries: readonly PackageEntry[],
  present: Terms | null,
  slackSeconds: number,
): Recorded<Terms>[] {
  const recorded: Recorded<Terms>[] = [];
  let toCome: readonly Beginning[] = [];
  let held: Terms | null = null;

  /** Applies all scheduled prices up to that second. `found`: the state that the log found afterwards, or null. */
  function begin(until: EpochSeconds, found: Terms | null): void {
    const due = toCome.filter(({ from }) => from <= until).sort((a, b) => a.from - b.from);
    toCome = toCome.filter(({ from }) => from > until);
    const states: (Terms | null)[] = [held ?? found];
    for (const { prices } of due) states.push(withPrices(states.at(-1) ?? null, prices));
    // If another state was found, it comes from manual SQL. Prices that do not begin here had their values before.
    let before = found ?? states.at(-1) ?? null;
    const noted: Recorded<Terms>[] = [];
    for (const [index, { from, prices }] of [...due.entries()].reverse()) {
      before = withoutPrices(before, prices, states[index] ?? null);
      noted.unshift({ at: from, before, after: states[index + 1] ?? null });
    }
    recorded.push(...noted);
    held = states.at(-1) ?? null;
  }

  for (const entry of entries) {
    const { at } = entry;
    if (entry.kind === 'scheduled') {
      toCome = [...toCome, entry];
    } else if (entry.kind === 'deleted') {
      toCome = toCome.filter(({ from }) => from !== entry.from);
      begin(at, null);
      if (entry.from - at > slackSeconds) continue;
      // By another process's clock, the prices may have begun before they were deleted.
      const begun = withPrices(held, entry.prices);
      recorded.push({ at, before: held, after: begun }, { at, before: begun, after: held });
    } else {
      begin(at, entry.before);
      recorded.push(entry);
      held = entry.after;
    }
  }
  begin(Number.POSITIVE_INFINITY, present);
  return recorded;
}

function withPrices(terms: Terms | null, named: SomePrices): Terms | null {
  if (terms === null) return null;
  const { prices } = terms;
  return { ...terms, prices: priceTable((group, months) => named[group]?.[months] ?? prices[group][months]) };
}

function withoutPrices(terms: Terms | null, named: SomePrices, earlier: Terms | null): Terms | null {
  if (terms === null || earlier === null) return terms;
  const prices = priceTable((group, months) =>
    named[group]?.[months] === undefined ? terms.prices[group][months] : earlier.prices[group][months],
  );
  return { ...terms, prices };
}
