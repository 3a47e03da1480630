// The routes that only the browser uses, as JSON Schema (docs/panel-api.md). Bodies are checked against
// these as the administrator's are.

import Type, { type Static } from 'typebox';
import { type Clock, clocks } from '../../shared/clocks.ts';
import { type Language, languages } from '../../shared/languages.ts';
import { typed } from '../../shared/password-fields.ts';
import { amount, groupSchema, oneOf, signedAmount, time } from '../../shared/schema-parts.ts';
import { type Scope, scopes } from '../../shared/scopes.ts';
import { customerSchema } from '../customers/customer-schemas.ts';
import {
  accountSchema,
  allowedIps,
  emailOrNone,
  ledgerEntrySchema,
  password,
} from '../packages/package-admin-schemas.ts';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const signInBodySchema = Type.Object({
  username: Type.String({ maxLength: 200 }),
  password: typed('The password.'),
  code: Type.Optional(typed('From the authenticator app, or a recovery code, where codes are on.')),
});
/** What a sensitive action reads, where it asks for the password each time or was not confirmed a moment ago. */
export const passwordBodySchema = Type.Object({ password: typed('The password of whoever is signed in.') });
/** Where `password` is another one. */
export const currentPasswordBodySchema = Type.Object({
  current_password: typed('The password of whoever is signed in.'),
});
export const codeBodySchema = Type.Object({ code: typed('From the authenticator app.') });
export const disableTotpBodySchema = Type.Object({
  ...passwordBodySchema.properties,
  code: typed('From the authenticator app, or a recovery code.'),
});
export const newPasswordBodySchema = Type.Object({
  ...currentPasswordBodySchema.properties,
  new_password: password,
});
export const signInOptionsSchema = Type.Object({
  password_reset: Type.Boolean({ description: 'Whether a link to a new password can be mailed.' }),
});
export const passwordResetBodySchema = Type.Object({
  account: Type.String({ minLength: 1, maxLength: 254, description: 'A username or an e-mail address.' }),
});
const linkToken = Type.String({ maxLength: 100, description: 'From the link, behind "#token=".' });
export const passwordLinkBodySchema = Type.Object({ token: linkToken });
export const passwordLinkSchema = Type.Object({
  purpose: oneOf(['invitation', 'password_reset'] as const, 'What the link was made for.'),
  username: Type.String({ description: 'Whom it is for, and what they sign in with.' }),
  account: Type.String({ description: 'The name of the account that they sign in to.' }),
  invited_by: nullable(
    Type.String({ description: 'The username of a person of the same account; null: the operator.' }),
  ),
  expires_at: time('When it stops working.'),
});
export const completePasswordBodySchema = Type.Object({
  token: linkToken,
  new_password: password,
  sign_in: Type.Optional(
    Type.Boolean({
      description:
        'Of an invitation: begin a session as well, whose cookie comes with the answer. Not where a second factor is on.',
    }),
  ),
});
export const emailBodySchema = Type.Object({ ...passwordBodySchema.properties, email: emailOrNone });
export const savedEmailSchema = Type.Object({ email: Type.String() });
const language = (description: string) =>
  Type.Unsafe<Language | null>({
    anyOf: [{ type: 'string', enum: [...languages] }, { type: 'null' }],
    description,
  });
export const languageBodySchema = Type.Object({ language: language('null: that of the browser.') });
const clock = Type.Unsafe<Clock>({
  anyOf: [{ type: 'string', enum: [...clocks] }, { type: 'null' }],
  description: 'On which clock times are shown; null: that of the browser’s zone.',
});
export const clockBodySchema = Type.Object({ clock });
export const documentLanguageSchema = Type.Object({
  language: Type.Optional(oneOf(languages, 'That of the person who is signed in, if left out.')),
});
export const allowListBodySchema = Type.Object({
  allowed_ips: allowedIps,
  confirm: Type.Optional(
    Type.Boolean({ description: 'true: save it even if it leaves out the address you are using.' }),
  ),
});

export const signedInSchema = Type.Object({ account: Type.Ref('Account') });

export const signedInPersonSchema = Type.Object({
  person: Type.Ref('Person'),
  scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: [...scopes] }), {
    description: 'What their role allows.',
  }),
  second_factor_required: Type.Boolean({
    description: 'The operator requires codes at sign-in of their role; without them nothing else is done.',
  }),
  reauthenticated_until: nullable(time('Until then sensitive actions of this session take no password.')),
});

const sessionSchema = Type.Object({
  id: Type.String(),
  created_at: time('When it began.'),
  last_seen_at: time('To the minute.'),
  expires_at: time('When it ends if it is not used again.'),
  address: Type.String({ description: 'The address it began from.' }),
  user_agent: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the session making this request.' }),
});
export const sessionListSchema = Type.Object({ data: Type.Array(sessionSchema) });

export const meSchema = Type.Object({
  account: Type.Ref('Account'),
  api_url: Type.String(),
  address: Type.String({ description: 'Where this request comes from.' }),
  address_allowed: Type.Boolean({ description: 'Whether the allow-list lets it use the API key.' }),
  totp_enabled: Type.Boolean(),
  mail: Type.Boolean({ description: 'Whether this service sends mail.' }),
  language: language('What the person who is signed in chose to read; null: that of the browser.'),
  clock,
  must_change_password: Type.Boolean({
    description:
      'The password was generated or set by somebody else: nothing else is done before it is changed.',
  }),
  checklist: Type.Object({
    key_viewed: Type.Boolean(),
    first_order: Type.Boolean(),
    allow_list: Type.Boolean(),
  }),
  session: Type.Object({ created_at: time('When it began.'), expires_at: time('When it ends if unused.') }),
});

export const begunViewSchema = Type.Object({ until: time('When it ends.') });

export const totpEnrolmentSchema = Type.Object({
  secret: Type.String({ description: 'Base32.' }),
  uri: Type.String({ description: 'otpauth://… for a QR code.' }),
});
export const recoveryCodesSchema = Type.Object({ recovery_codes: Type.Array(Type.String()) });

export const keyFactsSchema = Type.Object({
  last_four: Type.String(),
  created_at: time('When it was made.'),
  last_used_at: nullable(time('To the minute.')),
});
export const shownKeySchema = Type.Object({ api_key: Type.String() });
export const savedAllowListSchema = Type.Object({
  allowed_ips: Type.Array(Type.String()),
  address: Type.String(),
  address_allowed: Type.Boolean(),
});
export const usageSchema = Type.Object({
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  window_seconds: Type.Integer(),
  reset_seconds: Type.Integer(),
});

const seriesSchema = Type.Array(
  Type.Object({
    date: Type.String({ description: 'A UTC day or month.', examples: ['2026-11-21', '2026-11'] }),
    orders: Type.Integer(),
    charged: amount('Prices of the orders.'),
    refunded: amount('Given back: for plans that were replaced or cancelled, and for orders that failed.'),
    spent: signedAmount('charged − refunded.'),
    running: Type.Boolean({ description: 'It is not over: more may come to it.' }),
  }),
);

const figures = {
  orders: Type.Integer(),
  charged: amount('Prices of the orders.'),
  refunded: amount('Given back.'),
  spent: signedAmount('charged − refunded.'),
};
const spanSchema = Type.Object({
  from: time('The first second of the first day.'),
  to: time('The last second of today.'),
  previous_from: time('The first second of the days or months before, as many as these.'),
  previous_to: time('Their last second.'),
});
const totalsSchema = Type.Object({ ...figures, previous: Type.Object(figures) });
const spendingSchema = nullable(
  Type.Array(
    Type.Object({
      package: Type.Object({ id: Type.Integer(), name: Type.String() }),
      kind: oneOf(
        ['activate', 'renew', 'change', 'cancel'] as const,
        'Of the orders; cancel: what was given back for a plan that was cancelled, which is no order.',
      ),
      ...figures,
      previous: Type.Object(figures),
    }),
    {
      description:
        'By package and kind of order, what cost most first. null: it is being summed up, which a database of before takes a while for.',
    },
  ),
);
const boundedCount = Type.Object({
  count: Type.Integer(),
  more: Type.Boolean({ description: 'There are more: it was not counted further.' }),
});
export type BoundedCount = Static<typeof boundedCount>;

export const panelCustomerSchema = Type.Object({
  ...customerSchema.properties,
  days_left: Type.Integer({ minimum: 0 }),
  seconds_left: Type.Integer({
    minimum: 0,
    description: 'How long the plan still runs; 0 once it has ended.',
  }),
  order_pending: Type.Boolean({
    description:
      'An order of theirs waits for the operator’s product; the plan is as it was before the order.',
  }),
});

/** What the account's people have to know, wherever they come in. */
const noticeSchema = Type.Object({
  type: oneOf(['webhook_disabled'] as const, 'An endpoint was switched off by the service.'),
  at: time('When.'),
  webhook: Type.Object({ id: Type.Integer(), url: Type.String() }),
  reason: Type.String({ description: 'gone: it answered 410. failing: nothing but failures for five days.' }),
});

/** Which ends of plans were counted. */
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

/** {data, next_before}: a filtered list. */
export const cursorPageOf = (item: Type.TSchema) =>
  Type.Object({
    data: Type.Array(item),
    next_before: nullable(
      Type.Integer({ description: 'Ask for the next page with it, even if this page is short.' }),
    ),
  });

const before = Type.Optional(
  Type.Unsafe<string>({ type: 'integer', minimum: 1, description: 'next_before of the previous page.' }),
);
const moment = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-01-31', '2026-01-31T12:00:00Z'] }));
const packageFilter = Type.Optional(Type.Unsafe<string>({ type: 'integer' }));
export const orderFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Words of the customer, as in the list of customers; the id of the customer or of the order; an idempotency key.',
    }),
  ),
  customer: Type.Optional(
    Type.String({ description: 'A reference, or the id of a customer: this one alone.' }),
  ),
  kind: Type.Optional(Type.String({ description: 'activate, renew or change.' })),
  status: Type.Optional(Type.String({ description: 'pending, completed or failed.' })),
  package_id: packageFilter,
  idempotency_key: Type.Optional(Type.String()),
  from: moment('The first moment, or UTC day.'),
  to: moment('The last moment, or UTC day.'),
  before,
});
export const customerFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Words in any order, each part of a reference, name or external_ref, whatever case and accents; or an id of a customer, or of an order of theirs.',
    }),
  ),
  state: Type.Optional(Type.String({ description: 'active, suspended, cancelled or expired.' })),
  package_id: packageFilter,
  expires_from: moment('The plan ends then, or on that UTC day, or later.'),
  expires_to: moment('The plan ends then, or on that UTC day, or earlier.'),
  ends_within: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      description: 'Days: the plan runs now and ends within so many. In place of the two times.',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      description:
        'expires_at: whose plan ends first comes first; -expires_at: whose ends last. Otherwise the newest.',
    }),
  ),
  limit: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 500, default: 50 })),
  before: Type.Optional(Type.String({ description: 'next_before of the previous page.' })),
});
const month = Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] }));
const spanOfTime = {
  from: moment('From this time on, or from this UTC day on.'),
  to: moment('Up to this time, or up to the end of this UTC day.'),
};
export const ledgerExportSchema = Type.Object({
  month,
  kind: Type.Optional(Type.String({ description: 'credit, debit, charge or refund.' })),
  order_id: Type.Optional(Type.Unsafe<string>({ type: 'integer', description: 'Entries of this order.' })),
  ...spanOfTime,
});
export const ledgerFilterSchema = Type.Object({ ...ledgerExportSchema.properties, before });
export const requestFilterSchema = Type.Object({
  status: Type.Optional(Type.String({ description: '2xx, 4xx, 5xx or one number.' })),
  code: Type.Optional(Type.String({ description: 'An error code.', examples: ['insufficient_credit'] })),
  key: Type.Optional(Type.Unsafe<string>({ type: 'integer', description: 'The id of a key.' })),
  method: Type.Optional(Type.String({ examples: ['POST'] })),
  path: Type.Optional(Type.String({ description: 'The beginning of the path.' })),
  request_id: Type.Optional(Type.String()),
  ...spanOfTime,
  before,
});
export const refusalFilterSchema = Type.Object({
  from: Type.Optional(Type.String({ format: 'date', description: 'The first UTC day; 30 days are usual.' })),
  to: Type.Optional(Type.String({ format: 'date', description: 'The last UTC day.' })),
});
export const accountSpendingFilterSchema = Type.Object({
  ...refusalFilterSchema.properties,
  package_id: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1 })),
  kind: Type.Optional(Type.String({ description: 'activate, renew, change or cancel.' })),
  sort: Type.Optional(
    Type.String({ description: 'spent, orders or refunded: of what there is most first.' }),
  ),
});
export const overviewQuerySchema = Type.Object({
  days: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 366, default: 30 })),
  months: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum: 36 })),
});

export const accountFilterSchema = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Part of a username or display name; or an e-mail address of the account or one of its people, or the last four characters of one of its keys.',
    }),
  ),
  group: Type.Optional(groupSchema),
  state: Type.Optional(Type.String({ description: 'active, blocked, api_off or halted.' })),
  balance_below: Type.Optional(Type.String({ description: 'An amount.', examples: ['25.00'] })),
  sort: Type.Optional(Type.String({ description: 'newest, or name.' })),
  before: Type.Optional(
    Type.String({ description: 'next_before of the previous page, sent with the same filters.' }),
  ),
});
export const holderFilterSchema = Type.Object({
  q: Type.String({
    description: 'An e-mail address, or the last four characters of an API key. Found only as a whole.',
    maxLength: 254,
  }),
});
const holderSchema = Type.Object({
  kind: oneOf(['account', 'person', 'key'] as const, 'What was found.'),
  account: Type.Object({ id: Type.Integer(), username: Type.String() }),
  id: Type.Integer({ description: 'Of the account, the person or the key.' }),
  name: Type.String({ description: 'The username, or the name of the key.' }),
  revoked: Type.Boolean({ description: 'Of a key: it no longer works.' }),
});
export const holdersSchema = Type.Object({
  data: Type.Array(holderSchema, { description: 'At most ten.', maxItems: 10 }),
});

export const foundAccountsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...accountSchema.properties,
      halted: Type.Boolean({ description: 'Its books were found wrong: nothing is written.' }),
    }),
  ),
  next_before: nullable(Type.String({ description: 'Ask for the next page with it.' })),
});

/** Whose it is, where the console shows what is not the administrator's own. */
const ownerSchema = Type.Object({ id: Type.Integer(), username: Type.String() });

const total = nullable(
  Type.Integer({ description: 'How many there are, where they are counted; null: where they are not.' }),
);
export const orderPageSchema = Type.Object({ ...cursorPageOf(Type.Ref('Order')).properties, total });
export const customerPageSchema = Type.Object({
  data: Type.Array(panelCustomerSchema),
  next_before: Type.Union([Type.Integer(), Type.String(), Type.Null()], {
    description: 'Ask for the next page with it, even if this page is short. With sort it is a text.',
  }),
  total,
});

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

export const orderWithEntriesSchema = Type.Object({
  order: Type.Ref('Order'),
  entries: Type.Array(Type.Ref('LedgerEntry')),
});
export const accountOrderSchema = Type.Object({
  ...orderWithEntriesSchema.properties,
  account: ownerSchema,
});
export const cancelPreviewSchema = Type.Object({
  refund: amount('What would be given back for the unused time.'),
  balance: amount('The balance now.'),
  balance_after: amount('The balance right after it.'),
});
const loginLinkSchema = Type.Object({
  made_at: time('When.'),
  expires_at: time('When it expires if unused.'),
  used_at: nullable(time('When it was used; null: it was not.')),
  state: oneOf(
    ['open', 'used', 'replaced', 'expired'] as const,
    'open: it can be used. replaced: a newer link took its place.',
  ),
  made_by: oneOf(['account', 'operator', 'order'] as const, 'order: it came with an order.'),
  maker: Type.String({
    description:
      'The username of the person or the name of the key; empty for an order, and for the operator in an account’s panel.',
  }),
});
export type LoginLinkView = Omit<Static<typeof loginLinkSchema>, 'used_at'> & {
  readonly used_at: string | null;
};
/** Of real accounts; those of tests are not noted. */
const loginLinksSchema = Type.Array(loginLinkSchema, {
  description: 'The latest 20 of the last 90 days, the newest first.',
  maxItems: 20,
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
});
const statementSchema = Type.Object({
  month: Type.String({ examples: ['2026-11'] }),
  opening: amount('The balance before the month.'),
  credits: amount('Put in.'),
  debits: amount('Taken out by an administrator.'),
  charges: amount('For orders.'),
  refunds: amount('Given back by orders.'),
  closing: amount('opening + credits − debits − charges + refunds.'),
  entries: Type.Integer(),
});
export const statementListSchema = Type.Object({ data: Type.Array(statementSchema) });
export const panelEntrySchema = Type.Object({
  ...ledgerEntrySchema.properties,
  customer: nullable(Type.String({ description: 'The reference of the customer of its order.' })),
  customer_id: nullable(Type.Integer({ description: 'The customer’s id.' })),
});
export const ledgerPageSchema = Type.Object({
  ...cursorPageOf(panelEntrySchema).properties,
  totals: nullable(
    Type.Object(
      {
        credits: amount('Put in.'),
        debits: amount('Taken out by an administrator.'),
        charges: amount('For orders.'),
        refunds: amount('Given back by orders.'),
        entries: Type.Integer(),
      },
      {
        description:
          'Of the time that is asked for, whatever the kind; of one order its own. null: a day at its ends is not whole and has too many entries.',
      },
    ),
  ),
});

export const requestLineSchema = Type.Object({
  id: Type.Integer(),
  at: time('When it was answered.'),
  method: Type.String(),
  path: Type.String({
    description: 'Without the query; parts that are neither words nor numbers are cut out.',
  }),
  status: Type.Integer(),
  code: nullable(Type.String()),
  request_id: Type.String(),
  milliseconds: Type.Integer(),
  address: Type.String(),
  key: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      { description: 'The key it came with; null: none that is known, or of before keys were noted.' },
    ),
  ),
});
const capturesBodies = Type.Boolean({
  description: 'Whether the account keeps what is sent and answered with its keys.',
});
export const requestListSchema = Type.Object({
  ...cursorPageOf(requestLineSchema).properties,
  bodies_kept: capturesBodies,
});
const keptText = (description: string) => nullable(Type.String({ description }));
export const requestDetailSchema = Type.Object({
  request: requestLineSchema,
  bodies_kept: capturesBodies,
  exchange: nullable(
    Type.Object(
      {
        sent: Type.Object({
          query: keptText('Behind the path.'),
          idempotency_key: keptText('The header.'),
          content_type: keptText('The header.'),
          user_agent: keptText('The header.'),
          body: keptText('JSON as it was understood, or what came in its place.'),
          is_cut: Type.Boolean(),
        }),
        answered: Type.Object({
          content_type: keptText('The header.'),
          body: keptText('JSON; null: there was none, or it was a file.'),
          is_cut: Type.Boolean(),
        }),
      },
      { description: 'Without secrets, and cut to 4 KiB each. null: none is kept.' },
    ),
  ),
  customer: nullable(Type.Object({ id: Type.Integer(), reference: Type.String() })),
  order: nullable(Type.Object({ id: Type.Integer() })),
});
export const bodyCaptureSchema = Type.Object({ bodies_kept: capturesBodies });
export const refusalCountsSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  data: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
});
export const refusedAccountsSchema = Type.Object({
  code: Type.String(),
  from: Type.String(),
  to: Type.String(),
  count: Type.Integer({ description: 'Of everybody, of unknown keys too.' }),
  count_of_accounts: Type.Integer({ description: 'Of all accounts, also of those that are not listed.' }),
  data: Type.Array(
    Type.Object({
      account: ownerSchema,
      count: Type.Integer(),
      last_day: Type.String({ description: 'The last UTC day on which it was refused so.' }),
    }),
    { description: 'The 100 that were refused most often.' },
  ),
});

const failingSchema = Type.Object(
  {
    ...boundedCount.properties,
    since: nullable(time('The first attempt of the one that failed first; null: none fails.')),
  },
  { description: 'Calls that the product did not take at their last attempt, and that are sent again.' },
);

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
  refusals: Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() })),
});
export const attentionCountSchema = Type.Object(
  {
    ...boundedCount.properties,
    failing: failingSchema,
  },
  { description: 'Calls of all accounts that ran out of attempts.' },
);
export const waitingCallsSchema = Type.Object({
  waiting: boundedCount,
  attention: boundedCount,
  failing: failingSchema,
  data: Type.Array(Type.Ref('ProductCall'), { description: 'The first 20.' }),
});
export const accountSpendingSchema = Type.Object({
  from: Type.String(),
  to: Type.String(),
  count_of_accounts: Type.Integer({ description: 'Of all accounts, also of those that are not listed.' }),
  totals: nullable(Type.Object(figures, { description: 'Of all accounts together.' })),
  data: nullable(
    Type.Array(
      Type.Object({
        account: Type.Object({ id: Type.Integer(), username: Type.String(), display_name: Type.String() }),
        ...figures,
      }),
      { description: 'The first 100. null: it is being summed up.' },
    ),
  ),
});
const jobSchema = Type.Object({
  kind: Type.String(),
  running_on: nullable(Type.String({ description: 'The process running it now.' })),
  started_at: nullable(time('When the last run began.')),
  finished_at: nullable(time('When a run last ended, successfully or not.')),
  succeeded_at: nullable(time('When a run last succeeded.')),
  next_run_at: nullable(time('null: it has never run, or runs only when somebody asks for it.')),
  backlog: Type.Integer({ description: 'What the last run left for the next one.' }),
  failures_in_a_row: Type.Integer(),
  last_error: nullable(Type.String()),
  last_error_at: nullable(time('Later runs may have succeeded.')),
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
export const accountCustomerSchema = Type.Object({
  ...panelCustomerSchema.properties,
  account: ownerSchema,
});

export const customerOfAnyAccountSchema = Type.Object({
  customer: accountCustomerSchema,
  orders: Type.Array(Type.Ref('Order'), { description: 'The last 50.' }),
  login_links: loginLinksSchema,
});

export type PanelCustomerView = Static<typeof panelCustomerSchema>;
export type SeriesPointView = Static<typeof seriesSchema>[number];
export type SpanView = Static<typeof spanSchema>;
export type TotalsView = Static<typeof totalsSchema>;
export type SpendingView = Static<typeof spendingSchema>;
