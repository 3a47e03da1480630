// Schemas of automatic top-ups, in the account's API.

import Type from 'typebox';
import { amount, currency, example, oneOf, orNothing, text } from '../../shared/schema-parts.ts';
import { testOutcomes } from '../../shared/topup-words.ts';

const sentAmount = (description: string) =>
  Type.String({ description, pattern: '^\\d{1,12}(\\.\\d{1,2})?$', maxLength: 15, examples: ['100.00'] });
const notSet = 'null: it was never set.';

export const autoTopupSchema = Type.Object(
  {
    status: oneOf(
      ['on', 'paused', 'off'] as const,
      'paused: the bank wants the card holder to confirm, or a charge was disputed. Save the card again, or set it again.',
    ),
    reason: orNothing(
      oneOf(
        ['holder_needed', 'failed', 'disputed'] as const,
        'holder_needed, disputed: why it paused. failed: three charges in a row failed, so it was switched off.',
      ),
      'null: it was set so.',
    ),
    below: orNothing(amount('It tops up when the balance is below this.'), notSet),
    amount: orNothing(amount('How much each time.'), notSet),
    monthly_maximum: orNothing(amount('The most in a month (UTC).'), notSet),
    charged_this_month: amount('What was charged in this month, or is being charged.'),
    card: orNothing(text('The saved card, for people.', 80), 'null: no card is saved.'),
    currency,
  },
  { $id: 'AutoTopup' },
);

export const autoTopupAnswerSchema = Type.Object({ auto_topup: Type.Ref('AutoTopup') });

export const setAutoTopupBodySchema = Type.Object(
  {
    below: sentAmount('It tops up when the balance is below this.'),
    amount: sentAmount('How much each time.'),
    monthly_maximum: sentAmount('The most in a month (UTC).'),
    outcome: Type.Optional(
      oneOf(testOutcomes, 'Only in test mode: what becomes of each charge. pay is the default.'),
    ),
  },
  example({ below: '50.00', amount: '200.00', monthly_maximum: '1000.00' }),
);

export const setUpCardBodySchema = Type.Object(
  {
    return_url: Type.Optional(
      Type.String({
        description:
          'Where the provider’s page leads afterward: https, or http for this machine. Default: the panel.',
        format: 'uri',
        maxLength: 2_000,
      }),
    ),
  },
  example({ return_url: 'https://northwind.example.com/billing' }),
);

export const cardSetupSchema = Type.Object({
  setup_url: Type.String({
    description: 'The provider’s page where the card is saved. In test mode a card is saved at once.',
    format: 'uri',
    maxLength: 4_096,
  }),
});
