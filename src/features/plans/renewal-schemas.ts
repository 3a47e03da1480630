import Type, { type Static } from 'typebox';
import { amount, nullable, time } from '../../shared/schema-parts.ts';
import { priceRule } from '../packages/package-schemas.ts';

export const renewalsBodySchema = Type.Object({
  customers: Type.Array(Type.Integer(), {
    description: 'Ids of customers, each once.',
    minItems: 1,
    maxItems: 500,
  }),
});

const renewalSchema = Type.Object({
  customer_id: Type.Integer(),
  reference: Type.String({ description: 'Empty where there is no such customer.' }),
  order_id: nullable(Type.Integer({ description: 'What renews the plan; null: there is no order.' })),
  package: Type.Object({ id: Type.Integer(), name: Type.String() }),
  months: nullable(Type.Integer()),
  charge: nullable(amount('What the renewal would be charged now; null: it would be refused.')),
  price_rule: nullable(priceRule),
  expires_at: nullable(time('When the plan would end.')),
  refusal: nullable(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      reason: nullable(Type.String({ description: 'details.reason of the error.' })),
    }),
  ),
});

export const renewalsSchema = Type.Object({
  data: Type.Array(renewalSchema, { description: 'In the order sent.' }),
  count: Type.Integer({ description: 'How many would be renewed.' }),
  total: amount('What they would be charged together.'),
  balance: amount('The balance now.'),
  covered: Type.Boolean({ description: 'Whether the balance is enough for all of them.' }),
  currency: Type.String(),
});

export type RenewalView = Static<typeof renewalSchema>;

export const cancelPreviewSchema = Type.Object({
  refund: amount('The refund for the unused time.'),
  balance: amount('The balance now.'),
  balance_after: amount('The balance right after it.'),
});
