// The latest attempts of a product call, stored as JSON on its row.
// Invariant: an answer is redacted before it is cut and stored, and contains nothing that jsonb refuses.

import { nullable } from '../../platform/database/row-values.ts';
import { redactedJson, redactedRaw } from '../../platform/secrets/redaction.ts';
import { isJsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface CallAttempt {
  readonly at: EpochSeconds;
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number | null;
  readonly answer: string | null;
}

const attemptsKept = 20;
const answerBytesMax = 200;

/** SQL that appends `attempt` to the column. Both arguments are SQL. */
export const appendAttempt = (column: string, attempt: string) =>
  `case when jsonb_array_length(${column}) >= ${attemptsKept} then ${column} - 0 else ${column} end || ${attempt}::jsonb`;

export function shownAnswer(answer: string): string | null {
  const { text, isCut } = withoutSecrets(answer);
  const line = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return line === '' ? null : `${line}${isCut ? '…' : ''}`;
}

function withoutSecrets(answer: string) {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return redactedRaw(answer, answerBytesMax);
  }
  return redactedJson(value, answerBytesMax);
}

export function parseAttempts(log: unknown): CallAttempt[] {
  return Array.isArray(log) ? log.filter(isJsonObject).map(parseAttempt) : [];
}

function parseAttempt({
  at,
  status = null,
  error = null,
  milliseconds = null,
  answer = null,
}: Row): CallAttempt {
  return {
    at: Number(at),
    status: nullable(Number, status),
    error: nullable(String, error),
    milliseconds: nullable(Number, milliseconds),
    answer: nullable(String, answer),
  };
}

type Row = Readonly<Record<string, unknown>>;
