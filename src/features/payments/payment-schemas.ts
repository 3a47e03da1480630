// Schemas of manual credits and debits, and of receipts.

import Type from 'typebox';
import { languages } from '../../shared/languages.ts';
import { example, keyInBody, oneOf } from '../../shared/schema-parts.ts';

export const creditBodySchema = Type.Object(
  {
    amount: Type.String({
      pattern: '^-?\\d{1,12}(\\.\\d{1,2})?$',
      maxLength: 16,
      description: 'A negative amount debits.',
      examples: ['100.00'],
    }),
    memo: Type.Optional(Type.String({ maxLength: 500 })),
    // Checked before this schema, because it has its own error code.
    idempotency_key: keyInBody,
  },
  example({ amount: '250.00', memo: 'Bank transfer 2026-017', idempotency_key: 'transfer-2026-017' }),
);

export const documentLanguageSchema = Type.Object({
  language: Type.Optional(oneOf(languages, 'That of the person who is signed in, if left out.')),
});
