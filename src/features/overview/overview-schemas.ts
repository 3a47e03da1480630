import Type from 'typebox';
import { boundedCount } from '../../shared/list-schemas.ts';
import { amount, nullable, oneOf, signedAmount, time } from '../../shared/schema-parts.ts';
import { loginLinksSchema } from '../customer-portal/login-link-schemas.ts';
import { accountCustomerSchema, panelCustomerSchema } from '../customers/customer-panel-schemas.ts';
import { failingSchema } from '../fulfillment/product-panel-schemas.ts';
import { seriesSchema, spanSchema, spendingSchema, totalsSchema } from '../ledger/spending-schemas.ts';
import { verificationStarters } from '../verification/verification-schemas.ts';

const noticeSchema = Type.Object({
  type: oneOf(['webhook_disabled'] as const, 'An endpoint was switched off by the service.'),
  at: time('When.'),
  webhook: Type.Object({ id: Type.Integer(), url: Type.String() }),
  reason: Type.String({ description: 'gone: it answered 410. failing: every attempt failed for five days.' }),
});

const window = { from: time('The first second that counts.'), to: time('The last one.') };

export const overviewSchema = Type.Object({
  notices: Type.Array(noticeSchema, { maxItems: 10 }),
  span: spanSchema,
  series: seriesSchema,
  totals: totalsSchema,
  spending: spendingSchema,
  customers: Type.Object({
    total: Type.Integer(),
    running: boundedCount,
    ended: boundedCount,
    suspended: boundedCount,
  }),
  orders: Type.Object(
    { pending: boundedCount, failed: boundedCount },
    { description: 'Those that wait for the product, and those of the span that it did not take.' },
  ),
  renewals_failed: Type.Object({
    days: Type.Integer(),
    ...boundedCount.properties,
    customers: Type.Array(
      Type.Object({
        id: Type.Integer(),
        reference: Type.String(),
        name: Type.String(),
        code: Type.String({ description: 'Of the last try.' }),
        at: time('Of the last try that failed.'),
      }),
      { description: 'The latest five.' },
    ),
  }),
  expiring: Type.Object({
    days: Type.Integer(),
    count: Type.Integer(),
    renewable: Type.Integer({
      description: 'How many of them can be renewed: free trials and pending orders are left out.',
    }),
    renewal_cost: amount(
      'The cost of renewing these, each for the months of its last order, at today’s prices.',
    ),
    covered: Type.Boolean({ description: 'Whether the balance covers it.' }),
    ...window,
    customers: Type.Array(panelCustomerSchema, { description: 'The ten that end first.' }),
  }),
});

export const overviewQuerySchema = Type.Object({
  days: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 366, default: 30 })),
  months: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 36 })),
});

export const customerWithOrdersSchema = Type.Object({
  customer: panelCustomerSchema,
  suspended: Type.Boolean({
    description: 'Whether the account’s own hold stands, on a plan that has ended too.',
  }),
  order_pending: Type.Boolean({
    description: 'An order of theirs waits for the product: until then nothing else changes the plan.',
  }),
  orders: Type.Array(Type.Ref('Order'), { description: 'The last 50.' }),
  last_order_id: nullable(Type.Integer({ description: 'What POST /orders/{id}/renew takes.' })),
  login_links: loginLinksSchema,
  spending: nullable(
    Type.Object({
      orders: Type.Integer({ description: 'All orders of the customer.' }),
      total: signedAmount('What the completed orders cost, without refunds.'),
    }),
  ),
});

export const adminOverviewSchema = Type.Object({
  span: spanSchema,
  series: seriesSchema,
  totals: totalsSchema,
  spending: spendingSchema,
  orders: Type.Object({
    attention: boundedCount,
    failing: failingSchema,
  }),
  top_accounts: Type.Array(
    Type.Object({
      account: Type.Object({ id: Type.Integer(), username: Type.String(), display_name: Type.String() }),
      orders: Type.Integer(),
      spent: signedAmount('charged − refunded.'),
    }),
  ),
  expiring: Type.Object({ days: Type.Integer(), count: Type.Integer(), ...window }),
  refusals: Type.Array(
    Type.Object({
      code: Type.String(),
      count: Type.Integer(),
      account: nullable(
        Type.Object(
          { id: Type.Integer(), username: Type.String() },
          { description: 'The one refused most often. null: only unknown keys were, or the code is rare.' },
        ),
      ),
    }),
  ),
});

const jobSchema = Type.Object({
  kind: Type.String(),
  running_on: nullable(Type.String({ description: 'The process running it now.' })),
  started_at: nullable(time('When the last run began.')),
  finished_at: nullable(time('When a run last ended, successfully or not.')),
  succeeded_at: nullable(time('When a run last succeeded.')),
  next_run_at: nullable(time('null: it has never run, or runs only when someone asks for it.')),
  backlog: Type.Integer({ description: 'What the last run left for the next one.' }),
  failures_in_a_row: Type.Integer(),
  last_error: nullable(Type.String()),
  last_error_at: nullable(time('Later runs may have succeeded.')),
});

const verificationSchema = Type.Object({
  id: Type.Integer(),
  at: time('When it ended.'),
  started_by: oneOf(verificationStarters, 'verify and restore: the commands.'),
  milliseconds: Type.Integer({ description: 'How long it took.' }),
  accounts: Type.Integer(),
  entries: Type.Integer(),
  problems: Type.Integer(),
});

export const healthSchema = Type.Object({
  database: Type.Object({
    kind: Type.String(),
    version: Type.String(),
    reachable: Type.Boolean(),
  }),
  queue_depth: Type.Integer(),
  batches_in_flight: Type.Integer(),
  batch_sizes: Type.Object({ p50: Type.Integer(), p95: Type.Integer(), max: Type.Integer() }),
  requests: Type.Object(
    { count: Type.Integer(), failed: Type.Integer(), p50: Type.Integer(), p95: Type.Integer() },
    { description: 'Of the last thousand requests of this process: milliseconds, and statuses from 500 on.' },
  ),
  waiting_calls: nullable(
    Type.Object(
      { ...boundedCount.properties, since: nullable(time('When the oldest was made.')) },
      { description: 'Product calls that wait. null: the database does not answer.' },
    ),
  ),
  frozen_accounts: nullable(
    Type.Integer({
      description: 'Accounts whose books were found wrong. null: the database does not answer.',
    }),
  ),
  backups: nullable(
    Type.Object(
      {
        made_at: nullable(time('When `backup` last made a file; null: never.')),
        elsewhere: Type.Boolean({ description: 'Other tools make the backups, as the operator said.' }),
      },
      { description: 'null: the database does not answer.' },
    ),
  ),
  verifications: nullable(
    Type.Array(verificationSchema, {
      description: 'Of all processes and commands, the newest first. null: the database does not answer.',
    }),
  ),
  uptime_seconds: Type.Integer(),
  version: Type.String(),
  shared_limits: Type.Optional(
    Type.Object(
      {
        server: Type.String(),
        reachable: Type.Boolean(),
        seconds: Type.Integer({ description: 'For how long it has been so.' }),
        problem: Type.Union([Type.String(), Type.Null()]),
      },
      {
        description:
          'The server that counts the limits of all processes; while it cannot be reached, this one counts for itself. Missing without VALKEY_URL.',
      },
    ),
  ),
  jobs: Type.Array(jobSchema),
});

export const customerOfAnyAccountSchema = Type.Object({
  customer: accountCustomerSchema,
  orders: Type.Array(Type.Ref('Order'), { description: 'The last 50.' }),
  login_links: loginLinksSchema,
});
