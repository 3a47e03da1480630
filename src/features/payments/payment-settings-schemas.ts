// Schemas of the payment settings, in the admin API.

import Type, { type Static } from 'typebox';
import { amount, currency, example, oneOf, orNothing, text, time } from '../../shared/schema-parts.ts';

const provider = oneOf(['stripe'] as const, 'Who takes the cards.');
const enabled = Type.Boolean({ description: 'Whether top-ups by this method are taken.' });
const holder = text('The name on the bank account.', 70);
const iban = Type.String({ description: 'The IBAN, without spaces.', pattern: '^[A-Z0-9]+$', maxLength: 34 });
const bic = Type.String({ description: 'The BIC.', pattern: '^[A-Z0-9]+$', maxLength: 11 });

export const paymentsSchema = Type.Object(
  {
    methods: Type.Object({
      card: Type.Optional(
        Type.Object({
          provider,
          enabled,
          is_test: Type.Boolean({ description: 'Whether the key is one for the provider’s test mode.' }),
          previous_webhook_secret_until: orNothing(
            time('Until when the webhook secret before this one is accepted.'),
            'null: no secret was replaced within the last day.',
          ),
        }),
      ),
      bank_transfer: Type.Optional(
        Type.Object({ enabled, holder, iban, bic: orNothing(bic, 'null: none was given.') }),
      ),
    }),
    minimum: amount('The smallest top-up.'),
    maximum: amount('The largest top-up.'),
    daily_maximum: orNothing(
      amount('The most that an account can top up within 24 hours.'),
      'null: there is no such limit.',
    ),
    currency,
  },
  { $id: 'Payments' },
);

export type PaymentsView = Static<typeof paymentsSchema>;
export const paymentsAnswerSchema = Type.Object({ payments: Type.Ref('Payments') });

const sentAmount = (description: string) =>
  Type.String({ description, pattern: '^\\d{1,12}(\\.\\d{1,2})?$', maxLength: 15, examples: ['10.00'] });

export const setPaymentsBodySchema = Type.Object(
  {
    methods: Type.Object(
      {
        card: Type.Optional(
          Type.Object({
            provider,
            secret_key: Type.Optional(
              Type.String({
                description:
                  'The secret or restricted key of the provider. Needed the first time; left out, the present one stays.',
                pattern: '^[sr]k_(test|live)_[0-9A-Za-z_]+$',
                maxLength: 255,
              }),
            ),
            webhook_secret: Type.Optional(
              Type.String({
                description:
                  'The signing secret of the provider’s webhook endpoint. Needed the first time. The one before it is accepted for a day.',
                pattern: '^whsec_[0-9A-Za-z+/=_-]+$',
                maxLength: 255,
              }),
            ),
            enabled,
          }),
        ),
        bank_transfer: Type.Optional(
          Type.Object({
            enabled,
            holder: Type.String({
              description: 'The name on the bank account.',
              minLength: 1,
              maxLength: 70,
            }),
            iban: Type.String({
              description: 'The IBAN, with or without spaces.',
              pattern: '^[0-9A-Za-z ]+$',
              minLength: 1,
              maxLength: 64,
            }),
            bic: Type.Optional(
              Type.String({ description: 'The BIC.', pattern: '^[0-9A-Za-z ]+$', maxLength: 16 }),
            ),
          }),
        ),
      },
      { description: 'A method that is left out is removed, with its secrets.' },
    ),
    minimum: sentAmount('The smallest top-up.'),
    maximum: sentAmount('The largest top-up.'),
    daily_maximum: Type.Optional(
      orNothing(
        sentAmount('The most that an account can top up within 24 hours.'),
        'null, or left out: there is no such limit.',
      ),
    ),
  },
  example({
    methods: { bank_transfer: { enabled: true, holder: 'Example Ltd', iban: 'DE89370400440532013000' } },
    minimum: '10.00',
    maximum: '5000.00',
  }),
);
