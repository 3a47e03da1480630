import Type from 'typebox';
import { cursorPageOf, cursorParameters, ownerSchema, spanOfTime } from '../../shared/list-schemas.ts';
import { nullable, time } from '../../shared/schema-parts.ts';

export const requestTermsSchema = Type.Object({
  code: Type.Optional(Type.String({ description: 'An error code.', examples: ['insufficient_credit'] })),
  key: Type.Optional(Type.Unsafe<string>({ type: 'integer', description: 'The id of a key.' })),
  method: Type.Optional(Type.String({ examples: ['POST'] })),
  path: Type.Optional(Type.String({ description: 'Part of the path, such as the id of a customer.' })),
  request_id: Type.Optional(Type.String()),
  ...spanOfTime,
});

export const requestFilterSchema = Type.Object({
  status: Type.Optional(Type.String({ description: '2xx, 4xx, 5xx or one number.' })),
  ...requestTermsSchema.properties,
  ...cursorParameters,
});

export const requestLineSchema = Type.Object({
  id: Type.Integer(),
  at: time('When it was answered.'),
  method: Type.String(),
  path: Type.String({
    description: 'Without the query; parts that are neither words nor numbers are cut out.',
  }),
  status: Type.Integer(),
  code: nullable(Type.String()),
  request_id: Type.String(),
  milliseconds: Type.Integer(),
  address: Type.String(),
  key: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      {
        description:
          'The key it came with; null: an unknown key, or a request from before keys were recorded.',
      },
    ),
  ),
});

const capturesBodies = Type.Boolean({
  description: 'Whether the account keeps what is sent and answered with its keys.',
});

export const requestListSchema = Type.Object({
  ...cursorPageOf(requestLineSchema).properties,
  bodies_kept: capturesBodies,
});

const keptText = (description: string) => nullable(Type.String({ description }));

export const requestDetailSchema = Type.Object({
  request: requestLineSchema,
  bodies_kept: capturesBodies,
  exchange: nullable(
    Type.Object(
      {
        sent: Type.Object({
          query: keptText('After the path.'),
          idempotency_key: keptText('The header.'),
          content_type: keptText('The header.'),
          user_agent: keptText('The header.'),
          body: keptText('The JSON as it was parsed, or what was sent instead.'),
          is_cut: Type.Boolean(),
        }),
        answered: Type.Object({
          content_type: keptText('The header.'),
          body: keptText('JSON; null: there was none, or it was a file.'),
          is_cut: Type.Boolean(),
        }),
      },
      { description: 'Without secrets, and cut to 4 KiB each. null: none is kept.' },
    ),
  ),
  customer: nullable(Type.Object({ id: Type.Integer(), reference: Type.String() })),
  order: nullable(Type.Object({ id: Type.Integer() })),
});

const outcomes = {
  succeeded: Type.Integer({ description: 'With a status of 2xx.' }),
  refused: Type.Integer({ description: 'With a status of 4xx.' }),
  failed: Type.Integer({ description: 'With a status of 5xx.' }),
};

export const requestFiguresSchema = Type.Object({
  requests: Type.Integer(),
  ...outcomes,
  days: Type.Array(Type.Object({ date: Type.String(), ...outcomes }), { description: 'Oldest first.' }),
});

export const keyRequestsSchema = Type.Object({
  days: Type.Integer({ description: 'How many days are counted.' }),
  data: Type.Array(
    Type.Object({
      key_id: Type.Integer(),
      requests: Type.Integer(),
      refused: Type.Integer({ description: 'Those of them with a status of 400 or more.' }),
    }),
    { description: 'Keys without a request are left out.' },
  ),
});

export const bodyCaptureSchema = Type.Object({ bodies_kept: capturesBodies });

export const refusalCountsSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  data: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
});

export const refusedAccountsSchema = Type.Object({
  code: Type.String(),
  from: Type.String(),
  to: Type.String(),
  count: Type.Integer({ description: 'Of everybody, of unknown keys too.' }),
  count_of_accounts: Type.Integer({ description: 'Of all accounts, also of those that are not listed.' }),
  data: Type.Array(
    Type.Object({
      account: ownerSchema,
      count: Type.Integer(),
      last_day: Type.String({ description: 'The last UTC day on which it was refused so.' }),
    }),
    { description: 'The 100 that were refused most often.' },
  ),
});
