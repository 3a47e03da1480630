import Type, { type Static } from 'typebox';
import { count, nullable, oneOf } from './schema-parts.ts';

export const boundedCount = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'There are more: it was not counted further.' }),
});

export type BoundedCount = Static<typeof boundedCount>;

export const cursorPageOf = (item: Type.TSchema) =>
  Type.Object({
    data: Type.Array(item),
    next_cursor: nullable(
      Type.String({ description: 'Ask for the next page with it, even if this page is short.' }),
    ),
  });

const moment = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-01-31', '2026-01-31T12:00:00Z'] }));

export const spanOfTime = {
  from: moment('From this time on, or from this UTC day on.'),
  to: moment('Up to this time, or up to the end of this UTC day.'),
};

export const refusalFilterSchema = Type.Object({
  from: Type.Optional(Type.String({ format: 'date', description: 'The first UTC day; 30 days are usual.' })),
  to: Type.Optional(Type.String({ format: 'date', description: 'The last UTC day.' })),
});

/** Shown to administrators for rows of other accounts. */
export const ownerSchema = Type.Object({ id: Type.Integer(), username: Type.String() });

export const total = nullable(
  Type.Integer({ description: 'How many there are, where they are counted; null: where they are not.' }),
);

export const pageOf = (schemaId: string) =>
  Type.Object({
    data: Type.Array(Type.Ref(schemaId), { maxItems: 100 }),
    page: count('The requested page.', 1),
    per_page: Type.Integer({ description: 'Items per page.', minimum: 1, maximum: 100 }),
    total: count('Items on all pages.'),
  });

export const pageQuerySchema = Type.Object({
  page: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      examples: [1],
      description: 'Starts at 1. Clamped, never refused.',
    }),
  ),
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
      examples: [2],
      description: 'Items per page. Clamped, never refused.',
    }),
  ),
});

/** For lists that are read by page number without a filter, and by cursor with one. */
export const filteredPageOf = (item: string | Type.TSchema) => {
  const { page, per_page, total } = pageOf('').properties;
  return Type.Object({
    data: Type.Array(typeof item === 'string' ? Type.Ref(item) : item, { maxItems: 100 }),
    page: Type.Optional(page),
    per_page: Type.Optional(per_page),
    total: Type.Optional(total),
    next_cursor: Type.Optional(
      Type.Union(
        [
          Type.String({
            description:
              'Of a filtered list, in place of page, per_page and total: send it as cursor, with the same filters, for the next page. A page may be short, or empty, and go on.',
          }),
          Type.Null(),
        ],
        { description: 'null: this is the last page.' },
      ),
    ),
  });
};

const parameter = <Value extends string>(description: string, more: object = {}) =>
  Type.Optional(Type.Unsafe<Value>({ type: 'string', maxLength: 254, description, ...more }));
const idParameter = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }),
  );
const momentParameter = (description: string) =>
  parameter(`${description} A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31.`, {
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}Z)?$',
    maxLength: 20,
  });
export const cursorParameter = parameter('next_cursor of the page before; empty for the first page.', {
  pattern: '^[A-Za-z0-9_.-]*$',
  maxLength: 1_300,
});
export const wordsParameter = (description: string) => parameter(description, { maxLength: 300 });

export const createdParameters = {
  created_from: momentParameter('Made at this time or later.'),
  created_to: momentParameter('Made at this time or earlier.'),
};
/** For lists that are read only by cursor. */
export const cursorParameters = { limit: pageQuerySchema.properties.limit, cursor: cursorParameter };
export const oneOfParameter = <Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(oneOf(values, description));

const listFormatParameter = oneOfParameter(
  ['json', 'csv'] as const,
  'csv, or Accept: text/csv: all matching items as CSV, not only a page. Cells that a spreadsheet would take for a formula begin with an apostrophe.',
);

export const orderListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  customer: parameter('A reference, or the id of a customer.'),
  kind: oneOfParameter(['activate', 'renew', 'change'] as const, 'Orders of this kind.'),
  status: oneOfParameter(['pending', 'completed', 'failed'] as const, 'Orders of this status.'),
  package_id: idParameter('Orders for this package.'),
  idempotency_key: parameter('The order of this key.', { maxLength: 80 }),
  ...createdParameters,
  cursor: cursorParameter,
  format: listFormatParameter,
});

const { kind, status, package_id, created_from, created_to, cursor, format } =
  orderListQuerySchema.properties;
export const allOrdersQuerySchema = Type.Object({
  account_id: idParameter('Orders of this account.'),
  kind,
  status,
  package_id,
  created_from,
  created_to,
  limit: pageQuerySchema.properties.limit,
  cursor,
  format,
});

export const customerListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  q: parameter('The start of a reference, a name or an external_ref, in any case.'),
  status: oneOfParameter(['active', 'suspended'] as const, 'Customers of this status.'),
  active: Type.Optional(
    Type.Boolean({
      description:
        'As plan.active. true: the plan runs, and you have not suspended the customer. false: it has ended, or you have.',
    }),
  ),
  package_id: idParameter('Customers whose last plan is of this package.'),
  external_ref: parameter('Customers of this external_ref.', { maxLength: 80 }),
  expires_from: momentParameter('The plan ends at this time or later.'),
  expires_to: momentParameter('The plan ends at this time or earlier.'),
  cursor: cursorParameter,
  format: listFormatParameter,
});

export const ledgerListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  kind: oneOfParameter(
    ['charge', 'refund', 'credit', 'debit', 'reversal', 'settlement', 'reinstatement'] as const,
    'Entries of this kind.',
  ),
  order_id: idParameter('Entries of this order.'),
  ...createdParameters,
  cursor: cursorParameter,
  format: listFormatParameter,
});
