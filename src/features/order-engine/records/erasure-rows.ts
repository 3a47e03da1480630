// The table erasures: which customers were erased, and the words that jobs still look for. Written by
// erasure/erase-customer.ts and erasure/erasure-job.ts.
// Invariant: the words are sealed, so that the database does not hold what it was asked to forget.

import type { SqlStatement } from '../../../platform/database/database.ts';
import { type Seal, type SealedTexts, sealedChangeValues } from '../../../platform/secrets/seal.ts';
import { publicId } from '../../../shared/identifiers.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { CustomerRow } from './customer-table.ts';

/** What named the customer. */
export interface ErasedWords {
  /** The reference and all former ones. */
  readonly references: readonly string[];
  readonly name: string;
  readonly externalRef: string | null;
}

type Place = Pick<CustomerRow, 'accountId' | 'number'>;

function erasureContext({ accountId, number }: Place): string {
  return `erasure ${accountId} ${number}`;
}

export function sealWords(seal: Pick<Seal, 'seal'>, place: Place, words: ErasedWords): string {
  return seal.seal(JSON.stringify(words), erasureContext(place));
}

/** @throws if no known key opens it */
export function openWords(seal: Pick<Seal, 'open'>, place: Place, sealed: string): ErasedWords {
  const words: unknown = JSON.parse(seal.open(sealed, erasureContext(place)));
  if (!isJsonObject(words)) throw new Error('The words of an erasure are not an object.');
  const { references, name, externalRef } = words;
  return {
    references: Array.isArray(references) ? references.map(String) : [],
    name: String(name),
    externalRef: typeof externalRef === 'string' ? externalRef : null,
  };
}

const publicIdOf = 'account_id::bigint * 1000000000 + customer_number';

const listSealed: SqlStatement = {
  name: 'list_sealed_erasures',
  text: `select account_id, customer_number, sealed_words from erasures
    where sealed_words is not null and ${publicIdOf} > $1::bigint order by account_id, customer_number limit 200`,
};

const replaceSealed: SqlStatement = {
  name: 'replace_sealed_erasures',
  text: `update erasures e set sealed_words = new.sealed
    from unnest($1::bigint[], $2::text[], $3::text[]) as new (id, earlier, sealed)
    where ${publicIdOf} = new.id and e.sealed_words = new.earlier`,
};

export const sealedErasures: SealedTexts = {
  async list(database, after) {
    const found = [];
    for (const group of database.accountGroups()) found.push(...(await group.query(listSealed, [after])));
    const texts = found.map((row) => {
      const place = { accountId: Number(row['account_id']), number: Number(row['customer_number']) };
      const id = publicId(place.accountId, place.number);
      return { id, sealed: String(row['sealed_words']), context: erasureContext(place) };
    });
    return texts.sort((a, b) => a.id - b.id).slice(0, 200);
  },
  async replace(database, changes) {
    for (const group of database.accountGroups())
      await group.query(replaceSealed, sealedChangeValues(changes));
  },
};
