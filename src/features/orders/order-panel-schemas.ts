import Type from 'typebox';
import { ownerSchema } from '../../shared/list-schemas.ts';

export const orderWithEntriesSchema = Type.Object({
  order: Type.Ref('Order'),
  entries: Type.Array(Type.Ref('LedgerEntry')),
});

export const accountOrderSchema = Type.Object({
  ...orderWithEntriesSchema.properties,
  account: ownerSchema,
});
