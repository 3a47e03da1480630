import Type from 'typebox';

const sumSchema = Type.Object({ count: Type.Integer(), amount: Type.String() });

export const topupSumsSchema = Type.Object({
  month: Type.String({ description: 'The first day of the UTC month.' }),
  credited: sumSchema,
  pending: sumSchema,
  failed: sumSchema,
  failed_days: Type.Integer(),
  owed: sumSchema,
  more: Type.Boolean({ description: 'There are more top-ups than were summed.' }),
});
