// Shared parts of API schemas: amounts, times, ids, texts.

import Type, { type TSchema } from 'typebox';
import { groups } from './periods.ts';

export const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const amount = (description: string) =>
  Type.String({ description, pattern: '^\\d+\\.\\d{2}$', maxLength: 20, examples: ['12.50'] });
export const signedAmount = (description: string) =>
  Type.String({ description, pattern: '^-?\\d+\\.\\d{2}$', maxLength: 21 });
export const time = (description: string) =>
  Type.String({ description, format: 'date-time', maxLength: 20, examples: ['2026-01-31T12:00:00Z'] });
export const id = (description: string) =>
  Type.Integer({ description, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** For answers, whose texts are our own or validated. */
export const text = (description: string, maxLength: number) => Type.String({ description, maxLength });
export const word = (description: string, example: string) =>
  Type.String({ description, pattern: '^[a-z_.]+$', maxLength: 64, examples: [example] });
export const count = (description: string, minimum = 0) =>
  Type.Integer({ description, minimum, maximum: Number.MAX_SAFE_INTEGER });
/** A complete body, used by the reference's samples, which move its idempotency key into the header. */
export const example = <const Body extends object>(body: Body) => ({ examples: [body] });
export const databaseIntegerMax = 2_147_483_647;
export const durationDays = Type.Integer({
  description: 'The nominal length of a month, as shown to people; for a trial, its real length.',
  minimum: 1,
  maximum: 3650,
});
export const packageName = text('The name shown to people.', 500);
export const oneOf = <Values extends readonly string[]>(values: Values, description: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description });

export const groupSchema = oneOf(groups, 'The price group of the account.');
export const currency = Type.String({
  description: 'ISO 4217 code.',
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  examples: ['USD'],
});
/** No minimum or maximum: beside an enum they make orval generate broken code. */
export const monthsOf = (description: string) =>
  Type.Unsafe<1 | 3 | 12>({ type: 'integer', enum: [1, 3, 12], description });
export const months = monthsOf('The length of the period in months.');
export const period = oneOf(
  ['monthly', 'quarterly', 'yearly'] as const,
  'The same period by name: 1, 3 and 12 months.',
);

export const periodsSold = Type.Array(period, {
  description: 'The periods that the package is sold for. Orders and renewals for another one are refused.',
  minItems: 1,
  maxItems: 3,
});
export const packageDescription = Type.Union([text('', 500), Type.Null()], {
  description: 'What the package is, for people. null: none.',
});

export const orNothing = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** May also be sent as a header. */
export const keyInBody = Type.Optional(
  Type.String({ description: 'The same as the Idempotency-Key header.', minLength: 1, maxLength: 80 }),
);
export const customerReference = (description: string) =>
  Type.String({ description, pattern: '^[!-~]+$', maxLength: 254 });
export const customerEmail = Type.String({
  description: 'The reference if it is an e-mail address, else empty.',
  pattern: '^[!-~]*$',
  maxLength: 254,
});
