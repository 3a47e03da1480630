import Type, { type Static } from 'typebox';
import { ownerSchema } from '../../shared/list-schemas.ts';
import { nullable, oneOf, text, time } from '../../shared/schema-parts.ts';
import { listedOrderSchema, orderSchema } from './order-schemas.ts';

const customer = Type.Object({
  ...orderSchema.properties.customer.properties,
  name: text('The customer’s name.', 120),
});

export const panelOrderSchema = Type.Object({ ...orderSchema.properties, customer });
/** Lists by page number answer exactly as the API does, without the name. */
export const orderOfPageSchema = Type.Object({
  ...orderSchema.properties,
  customer: Type.Object({
    ...orderSchema.properties.customer.properties,
    name: Type.Optional(customer.properties.name),
  }),
});
export const panelListedOrderSchema = Type.Object({ ...listedOrderSchema.properties, customer });

export type PanelOrderView = Static<typeof panelOrderSchema>;
export type PanelListedOrderView = Static<typeof panelListedOrderSchema>;

const placingRequestSchema = Type.Object({
  id: Type.Integer({ description: 'Its number in the request log.' }),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  key: nullable(Type.String({ description: 'The name of its API key.' })),
});

export type PlacingRequestView = Static<typeof placingRequestSchema>;

const courseSchema = Type.Object({
  placed_by: oneOf(['account', 'operator', 'service'], 'service: an automatic renewal.'),
  request: nullable(placingRequestSchema),
  handoff: nullable(
    Type.Object({
      settled_at: nullable(time('When it was confirmed or failed; null: it is pending.')),
      settled_by: nullable(oneOf(['product', 'operator'], 'Who settled it.')),
    }),
  ),
});

export type OrderCourseView = Static<typeof courseSchema>;

export const orderWithEntriesSchema = Type.Object({
  order: panelOrderSchema,
  entries: Type.Array(Type.Ref('LedgerEntry')),
  course: courseSchema,
});

export const accountOrderSchema = Type.Object({
  ...orderWithEntriesSchema.properties,
  account: ownerSchema,
});
