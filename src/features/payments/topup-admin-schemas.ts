// Schemas of all accounts' top-ups, their refunds, and payments that need attention, in the admin API.

import Type from 'typebox';
import { createdParameters, cursorParameters, oneOfParameter } from '../../shared/list-schemas.ts';
import {
  amount,
  currency,
  databaseIntegerMax,
  example,
  id,
  keyInBody,
  oneOf,
  orNothing,
  text,
  time,
} from '../../shared/schema-parts.ts';
import { problemReasons, topupMethods, topupStatuses } from '../../shared/topup-words.ts';

const reason = oneOf(
  problemReasons,
  'unknown_topup: there is no such top-up, for example since a restore from a backup. amount_differs, currency_differs: it is not what was asked for. second_payment: the top-up was paid before. account_blocked, account_halted: it is credited once the account is open again. not_bookable: the books refuse it.',
);

const refundStatus = oneOf(
  ['new', 'sent', 'failed', 'by_hand'] as const,
  'sent: the provider sends the money. new: it has not answered, and is asked again. failed: it refused, and the balance has the money again. by_hand: transfer it yourself.',
);

export const listedTopupSchema = Type.Object(
  {
    topup: Type.Ref('Topup'),
    account: Type.Object({ id: id('The account.'), username: text('Its name for signing in.', 64) }),
    needs_attention: orNothing(reason, 'null: nothing is wrong.'),
    refunds: Type.Array(
      Type.Object({
        amount: amount('What goes back.'),
        status: refundStatus,
        reason: orNothing(text('As it was sent.', 500), 'null: none was sent.'),
        created_at: time('When it was made.'),
      }),
      {
        description: 'Made here, newest first. Those made at the provider are in `refunded` only.',
        maxItems: 20,
      },
    ),
  },
  { $id: 'ListedTopup' },
);

export const allTopupsSchema = Type.Object({
  data: Type.Array(Type.Ref('ListedTopup'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({
      description: 'Ask for the next page with it.',
      pattern: '^[A-Za-z0-9_.-]+$',
      maxLength: 1_300,
    }),
    'null: this is the last page.',
  ),
});

export const allTopupsQuerySchema = Type.Object({
  account_id: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: databaseIntegerMax,
      description: 'Top-ups of this account.',
    }),
  ),
  status: oneOfParameter(topupStatuses, 'Top-ups of this status.'),
  method: oneOfParameter(topupMethods, 'Top-ups by this method.'),
  ...createdParameters,
  ...cursorParameters,
});

export const refundBodySchema = Type.Object(
  {
    amount: Type.String({
      description: 'At most what was paid and has not gone back.',
      pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
      maxLength: 15,
      examples: ['25.00'],
    }),
    reason: Type.Optional(Type.String({ description: 'Why, for the audit log.', maxLength: 500 })),
    allow_receivable: Type.Optional(
      Type.Boolean({
        description:
          'Whether it may be more than the balance. The account then owes the rest. Default: false, and it is refused.',
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({ amount: '25.00', reason: 'Ordered by mistake', idempotency_key: 'refund-2026-4' }),
);

export const refundedSchema = Type.Object({
  topup: Type.Ref('Topup'),
  refund: Type.Object({
    amount: amount('What goes back.'),
    status: refundStatus,
  }),
});

export const paymentProblemSchema = Type.Object(
  {
    id: id('The id of the problem.'),
    reason,
    reference: Type.String({
      description: 'The payment, refund or dispute at the provider.',
      pattern: '^[a-z]+:[!-~]+$',
      maxLength: 255,
    }),
    topup_id: id('The top-up as the provider names it. It may not exist.'),
    account_id: id('The account as the provider names it.'),
    amount: amount('How much came or went.'),
    currency,
    created_at: time('When it was kept.'),
  },
  { $id: 'PaymentProblem' },
);

export const paymentProblemsSchema = Type.Object({
  data: Type.Array(Type.Ref('PaymentProblem'), { maxItems: 1_000 }),
});
export const paymentProblemAnswerSchema = Type.Object({ problem: Type.Ref('PaymentProblem') });

export const dismissBodySchema = Type.Object(
  {
    idempotency_key: keyInBody,
    note: Type.String({
      description: 'What you did about it, for the audit log.',
      pattern: '\\S',
      minLength: 1,
      maxLength: 500,
    }),
  },
  example({ note: 'Credited by hand' }),
);
