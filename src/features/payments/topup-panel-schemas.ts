import Type, { type Static } from 'typebox';
import { paymentProblemSchema } from './topup-admin-schemas.ts';

const sumSchema = Type.Object({ count: Type.Integer(), amount: Type.String() });

export const topupSumsSchema = Type.Object({
  credited: sumSchema,
  refunded: sumSchema,
  disputed: sumSchema,
  pending: sumSchema,
  failed: sumSchema,
  failed_days: Type.Integer(),
  owed: sumSchema,
  more: Type.Boolean({ description: 'There are more top-ups than were summed.' }),
});

export const namedProblemSchema = Type.Object({
  ...paymentProblemSchema.properties,
  username: Type.Union([Type.String(), Type.Null()], { description: 'null: there is no such account.' }),
  asked: Type.Union([Type.String(), Type.Null()], {
    description: 'What the top-up asked for, if another amount came.',
  }),
});

export type NamedProblemView = Static<typeof namedProblemSchema>;
