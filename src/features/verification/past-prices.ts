// Where prices begin that were scheduled: what the audit log tells of a package, with an entry of its own for every
// beginning, so that past-packages.ts sees one history of states. The log says which prices were scheduled and which of
// them deleted; from their second on the others held, until an administrator changed the package or others began. Pure.

import type { EpochSeconds } from '../../shared/times.ts';
import { priceTable, type SomePrices } from '../packages/price-lines.ts';
import type { Recorded, Terms } from './package-terms.ts';

interface Beginning {
  readonly from: EpochSeconds;
  readonly prices: SomePrices;
}

/** An entry of the log about a package. */
export type PackageEntry =
  | ({ readonly kind: 'changed' } & Recorded<Terms>)
  | ({ readonly kind: 'scheduled'; readonly at: EpochSeconds } & Beginning)
  | ({ readonly kind: 'deleted'; readonly at: EpochSeconds } & Beginning);

/** `entries` in the order of the log; `present`: what the package is when everything that is scheduled has begun. */
export function withScheduled(
  entries: readonly PackageEntry[],
  present: Terms | null,
  slackSeconds: number,
): Recorded<Terms>[] {
  const recorded: Recorded<Terms>[] = [];
  let toCome: readonly Beginning[] = [];
  /** What the last of `recorded` left behind. */
  let held: Terms | null = null;

  /** Everything up to that second begins; `found`: what was found after it, null where nobody looked. */
  function begin(until: EpochSeconds, found: Terms | null): void {
    const due = toCome.filter(({ from }) => from <= until).sort((a, b) => a.from - b.from);
    toCome = toCome.filter(({ from }) => from > until);
    const states: (Terms | null)[] = [held ?? found];
    for (const { prices } of due) states.push(withPrices(states.at(-1) ?? null, prices));
    // Where something else was found, someone used SQL: what does not begin here was so before, too.
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
      // By the clock of another process they may have begun before they were deleted.
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

/** What is named is as it was earlier. */
function withoutPrices(terms: Terms | null, named: SomePrices, earlier: Terms | null): Terms | null {
  if (terms === null || earlier === null) return terms;
  const prices = priceTable((group, months) =>
    named[group]?.[months] === undefined ? terms.prices[group][months] : earlier.prices[group][months],
  );
  return { ...terms, prices };
}
