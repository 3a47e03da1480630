import Type, { type Static } from 'typebox';
import { businessOfAccountsQuerySchema, businessOfAccountsSchema } from './business-schemas.ts';

const { accounts, ...rest } = businessOfAccountsSchema.properties;

export const listedAccountsQuerySchema = Type.Object({ sort: businessOfAccountsQuerySchema.properties.sort });

export const listedAccountsSchema = Type.Object({
  ...rest,
  accounts: Type.Array(
    Type.Object({
      ...accounts.items.properties,
      blocked: Type.Boolean({ description: 'Blocked and not closed.' }),
    }),
  ),
});

export type ListedAccountsView = Static<typeof listedAccountsSchema>;
