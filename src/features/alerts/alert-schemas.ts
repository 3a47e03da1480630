import Type, { type Static } from 'typebox';
import { amount, example, orNothing } from '../../shared/schema-parts.ts';

const emails = Type.Array(
  Type.String({ description: 'One address.', format: 'email', minLength: 3, maxLength: 254 }),
  { description: 'Who is written to, where the operator sends mail.', maxItems: 10 },
);
const weeklySummary = Type.Boolean({
  description: 'Whether the figures of the business are mailed to emails each Monday.',
});
const daysBefore = Type.Integer({
  description:
    'How many days before a plan’s end plan.ending occurs, in addition to 7 days and 1 day. At once if the plan ends sooner.',
  minimum: 1,
  maximum: 60,
});

export const alertsBodySchema = Type.Object(
  {
    balance_below: Type.Optional(
      Type.String({
        description: 'balance.low occurs when the balance falls below it.',
        pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
        maxLength: 15,
        examples: ['50.00'],
      }),
    ),
    plans_ending_days: Type.Optional(daysBefore),
    emails: Type.Optional(emails),
    weekly_summary: Type.Optional(weeklySummary),
  },
  example({ balance_below: '50.00', plans_ending_days: 3, emails: ['ops@northwind.example'] }),
);

export const alertsSchema = Type.Object(
  {
    balance_below: orNothing(
      amount('balance.low occurs when the balance falls below it.'),
      'null: it never occurs.',
    ),
    plans_ending_days: orNothing(
      daysBefore,
      'null: notices come only 7 days and 1 day before the end, without mail.',
    ),
    emails,
    weekly_summary: weeklySummary,
  },
  { $id: 'Alerts' },
);
export const alertsAnswerSchema = Type.Object({
  alerts: Type.Ref('Alerts'),
  confirmed_emails: Type.Array(
    Type.String({ description: 'One address.', format: 'email', maxLength: 254 }),
    {
      description:
        'Those of emails that were confirmed by the link mailed to them: alerts go to these alone.',
      maxItems: 10,
    },
  ),
});
export type AlertsView = Static<typeof alertsSchema>;
