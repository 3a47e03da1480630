import Type, { type Static } from 'typebox';
import { text, word } from './schema-parts.ts';

const words = Type.Unsafe<readonly string[]>({
  type: 'array',
  items: { type: 'string', pattern: '^[a-z_]+$', maxLength: 64 },
  maxItems: 100,
});

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      code: word('Stable and machine-readable.', 'insufficient_credit'),
      message: text('For people.', 500),
      details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), words]), {
        description: 'More about this error; may be empty.',
      }),
    }),
  },
  { $id: 'ApiError' },
);

export type ApiError = Static<typeof errorSchema>['error'];
