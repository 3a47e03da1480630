import Type, { type Static } from 'typebox';
import {
  count,
  customerEmail,
  customerReference,
  example,
  id,
  keyInBody,
  months,
  oneOf,
  orNothing,
  period,
  signedAmount,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';

export const changeCustomerBodySchema = Type.Object(
  { status: oneOf(['active', 'suspended'] as const, '') },
  example({ status: 'suspended' }),
);

export const autoRenewSettings = {
  months,
  period,
  max_charge: Type.Union([signedAmount('The maximum charge of a renewal.'), Type.Null()], {
    description: 'The most that a renewal may be charged; null: no limit.',
  }),
  hours_before: Type.Integer({
    description: 'How many hours before its end the plan is renewed.',
    minimum: 1,
    maximum: 720,
  }),
};
const autoRenewSchema = Type.Object({
  ...autoRenewSettings,
  next_at: orNothing(time('When it is renewed, or tried again.'), 'null: not until the plan’s end changes.'),
  failure: orNothing(
    word('An error code.', 'insufficient_credit'),
    'Why the last attempt for this end was refused.',
  ),
});

export const customerSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    name: text('The display name; the reference if none was given.', 254),
    reference: customerReference(
      'The e-mail address or username by which orders name the customer, normalized.',
    ),
    email: customerEmail,
    status: word('active or suspended. Tolerate new values.', 'active'),
    plan: Type.Object({
      package: text("The package's name.", 500),
      package_id: id('The package.'),
      last_order_id: orNothing(
        id('The last completed order for this plan: renew it, or the customer, to extend the plan.'),
        'null: there is none, as of a free trial.',
      ),
      status: word(
        'active, suspended (by you or by the operator), cancelled (ended before its time) or expired. Tolerate new values.',
        'active',
      ),
      active: Type.Boolean({
        description:
          'The plan is running, and you have not suspended it. It stays true while the operator has suspended the customer: status says so then.',
      }),
      starts_at: time('When the unbroken run on this package began.'),
      expires_at: time('When the plan ends.'),
      days_left: count('Rounded up; 0 once it has ended.'),
      ends_at_period_end: Type.Boolean({
        description: 'It was cancelled at the period’s end: it does not renew itself.',
      }),
      auto_renew: orNothing(autoRenewSchema, 'How the plan renews itself; null: it does not.'),
    }),
    external_ref: Type.Optional(text('Your own id of the customer; absent where none was set.', 80)),
    created_at: time('When the customer was created.'),
  },
  { $id: 'Customer' },
);
export const editCustomerBodySchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'The display name.', maxLength: 240 })),
    external_ref: Type.Optional(
      Type.Union([Type.String({ pattern: '^[!-~]{1,80}$', maxLength: 80 }), Type.Null()], {
        description: 'Your own id of the customer; null: none.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        description: 'The new e-mail address or username. Another customer must never have had it.',
        pattern: '^[^\\u0000-\\u001f]*$',
        maxLength: 254,
      }),
    ),
    idempotency_key: keyInBody,
  },
  example({ name: 'Ada King', external_ref: 'crm-1001', idempotency_key: 'rename-1001' }),
);

export const customerAnswerSchema = Type.Object({ customer: Type.Ref('Customer') });

export const madeLoginLinkSchema = Type.Object({
  login_url: Type.String({
    description: 'Shown only now. It logs the customer in once.',
    format: 'uri',
    maxLength: 2_048,
  }),
  expires_at: time('When it expires if unused.'),
});

export type CustomerView = Static<typeof customerSchema>;
