import Type from 'typebox';
import { customerReference, id, text, time } from '../../shared/schema-parts.ts';
import { loginLinkSchema } from '../customer-portal/login-link-schemas.ts';

const listOf = (schemaId: string, description: string) => Type.Array(Type.Ref(schemaId), { description });

const ofBoth = {
  exported_at: time('When the export began. Orders that are placed meanwhile may be in it.'),
  account: Type.Object({
    id: id('The account.'),
    username: text('The account’s name.', 64),
  }),
  customer: Type.Ref('Customer'),
  former_references: Type.Array(
    customerReference('A reference that the customer had before. It still names the customer.'),
    { maxItems: 10 },
  ),
  orders: listOf('Order', 'Newest first.'),
  history: listOf('PlanHistoryItem', 'What happened to the plan, newest first.'),
  ledger: listOf(
    'LedgerEntry',
    'The entries of the customer’s orders and of refunds for canceled plans, newest order first.',
  ),
  events: Type.Array(Type.Ref('AccountEvent'), {
    description: 'Events about the customer among the latest 200,000 of the account, newest first.',
    maxItems: 200_000,
  }),
  login_links: Type.Array(
    Type.Object({
      ...loginLinkSchema.properties,
      maker: text('The username of the person or the name of the key; empty for an order.', 500),
    }),
    {
      description: 'The latest 1,000 of the last 90 days, newest first. Without the links themselves.',
      maxItems: 1_000,
    },
  ),
  sessions: Type.Array(
    Type.Object({ created_at: time('When the customer signed in.'), expires_at: time('When it ends.') }),
    {
      description: 'Sign-ins on the service’s own customer page that still count, the latest 100.',
      maxItems: 100,
    },
  ),
};

export const customerExportSchema = Type.Object(ofBoth);

export const operatorsCustomerExportSchema = Type.Object({
  ...ofBoth,
  product_calls: listOf('ProductCall', 'Calls to the product about the customer, newest first.'),
  audit_log: listOf('AuditEntry', 'Who changed the customer, newest first.'),
});
