// A job that takes what named erased customers out of events, logs and calls.
// Invariant: each erasure gets a second pass an hour later, because a request that was under way may have logged the words
// after the first. The words are forgotten only after that, and once the product has been called.

import { eraseFromAudit } from '../../platform/audit-log/erase-from-audit.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { publicId } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { eraseFromEvents } from '../events/erase-from-events.ts';
import { eraseFromCalls } from '../fulfillment/erase-from-calls.ts';
import { erasedReference } from '../order-engine/records/customer-table.ts';
import { type ErasedWords, openWords } from '../order-engine/records/erasure-rows.ts';
import { eraseFromRequests } from '../request-log/erase-from-requests.ts';
import { eraseFromAttempts } from '../webhooks/erase-from-attempts.ts';
import { createEraser } from './erased-texts.ts';

const passesMin = 2;
const betweenPassesSeconds = 3_600;
const atOnceMax = 100;

const listDue: SqlStatement = {
  name: 'list_due_erasures',
  text: `select account_id, customer_number, sealed_words, passes
    from erasures where sealed_words is not null and next_pass_at <= to_timestamp($1::bigint) order by next_pass_at limit ${atOnceMax}`,
};

const notePass: SqlStatement = {
  name: 'note_erasure_pass',
  text: `update erasures set passes = passes + 1, next_pass_at = to_timestamp($3::bigint)
    where account_id = $1::int and customer_number = $2::int`,
};

const finish: SqlStatement = {
  name: 'finish_erasure',
  text: `update erasures set passes = passes + 1, next_pass_at = null, sealed_words = null
    where account_id = $1::int and customer_number = $2::int`,
};

export interface ErasureJobDependencies {
  readonly database: Database;
  readonly seal: Pick<Seal, 'open'>;
  readonly now: () => EpochSeconds;
}

interface Due {
  readonly accountId: number;
  readonly number: number;
  readonly sealedWords: string;
  readonly passes: number;
}

/** Returns how many erasures were due and not dealt with when the signal stopped it. */
export async function eraseTexts(
  { database, seal, now }: ErasureJobDependencies,
  signal: AbortSignal,
): Promise<number> {
  let left = 0;
  for (const group of database.accountGroups()) {
    const rows = await group.query(listDue, [now()]);
    await eachInTurn(rows, async (row) => {
      if (signal.aborted) {
        left += 1;
        return;
      }
      const due = {
        accountId: Number(row['account_id']),
        number: Number(row['customer_number']),
        sealedWords: String(row['sealed_words']),
        passes: Number(row['passes']),
      };
      await pass({ database, seal, now }, due);
    });
    if (rows.length === atOnceMax) left += 1;
  }
  return left;
}

async function pass({ database, seal, now }: ErasureJobDependencies, due: Due): Promise<void> {
  const { accountId, number, sealedWords, passes } = due;
  const group = database.ofAccount(accountId);
  await eraseEverywhere(database, due, openWords(seal, due, sealedWords));
  const isCalled = await eraseFromCalls(database, accountId, number);
  if (passes + 1 >= passesMin && isCalled) await group.query(finish, [accountId, number]);
  else await group.query(notePass, [accountId, number, now() + betweenPassesSeconds]);
}

async function eraseEverywhere(
  database: Database,
  place: { readonly accountId: number; readonly number: number },
  words: ErasedWords,
): Promise<void> {
  const eraser = createEraser(place, words);
  await eraseFromEvents(database, place.accountId, eraser.words, eraser.erasedEvent);
  await eraseFromRequests(database, eraser.words, eraser);
  // An endpoint may answer anything about the customer, so nothing of such an answer is kept.
  await eraseFromAttempts(database, eraser.words, (answer, accountId) =>
    accountId === place.accountId && eraser.mentions(answer)
      ? erasedReference(place.accountId, place.number)
      : eraser.replaced(answer, false),
  );
  const id = publicId(place.accountId, place.number);
  const subjects = [`customer ${id}`, ...words.references.map((reference) => `customer ${reference}`)];
  await eraseFromAudit(database, eraser.words, ({ subject, before, after }) => {
    const isAbout = subjects.includes(subject);
    return {
      subject: isAbout ? `customer ${id}` : eraser.replaced(subject, false),
      before: before === null ? null : asObject(eraser.erased(before, isAbout)),
      after: after === null ? null : asObject(eraser.erased(after, isAbout)),
    };
  });
}

function asObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('An entry of the audit log is not an object.');
  return value;
}
