import Type, { type Static } from 'typebox';
import { ownerSchema } from '../../shared/list-schemas.ts';
import { nullable, oneOf, time } from '../../shared/schema-parts.ts';

const courseSchema = Type.Object({
  placed_by: oneOf(['account', 'operator', 'service'], 'service: an automatic renewal.'),
  handoff: nullable(
    Type.Object({
      settled_at: nullable(time('When it was confirmed or failed; null: it is pending.')),
      settled_by: nullable(oneOf(['product', 'operator'], 'Who settled it.')),
    }),
  ),
});

export type OrderCourseView = Static<typeof courseSchema>;

export const orderWithEntriesSchema = Type.Object({
  order: Type.Ref('Order'),
  entries: Type.Array(Type.Ref('LedgerEntry')),
  course: courseSchema,
});

export const accountOrderSchema = Type.Object({
  ...orderWithEntriesSchema.properties,
  account: ownerSchema,
});
