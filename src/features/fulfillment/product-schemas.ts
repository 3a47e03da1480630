import Type, { type Static } from 'typebox';
import { cursorParameter, pageQuerySchema } from '../../shared/list-schemas.ts';
import { productCallStatuses, productModes } from '../../shared/product-states.ts';
import {
  count,
  customerReference,
  example,
  id,
  keyInBody,
  oneOf,
  orNothing,
  text,
  time,
  word,
} from '../../shared/schema-parts.ts';

const mode = oneOf(
  productModes,
  'none: there are no calls. notify: orders are completed at once and the product is notified. confirm: an order is pending until the product accepts it.',
);
const urlBytesMax = 2_048;
const secretPattern = '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$';

const productSchema = Type.Object(
  {
    mode,
    url: orNothing(text('Where the product is called.', urlBytesMax), 'null: there is no product.'),
    has_secret: Type.Boolean({ description: 'Whether calls are signed: always, where there is a product.' }),
    test_url: Type.Optional(
      Type.String({
        description:
          'Where it is called for orders of tests. Absent: nowhere, and they are completed at once.',
        format: 'uri',
        maxLength: urlBytesMax,
      }),
    ),
  },
  { $id: 'Product' },
);

const answerStatus = (description: string) => Type.Integer({ description, minimum: 100, maximum: 999 });

const attentionOrderSchema = Type.Object(
  {
    order: Type.Ref('Order'),
    account: Type.Object({
      id: id('Whose order it is.'),
      username: text('What the account signs in with.', 64),
    }),
    call: Type.Object({
      id: Type.String({
        description: 'The id of the call, the same at every attempt.',
        pattern: '^[a-z0-9_]+$',
        maxLength: 64,
      }),
      type: word('The kind of the call.', 'plan.activate'),
      attempts: count('How often it was tried.'),
      first_attempt_at: orNothing(time('When it was tried first.'), 'null: it never was.'),
      last_status: orNothing(answerStatus('The status of the last answer.'), 'null: there was no answer.'),
      last_error: orNothing(
        text('Why the last attempt had no answer; no_product: there is no product.', 200),
        'null: it was answered.',
      ),
    }),
  },
  { $id: 'OrderNeedingAttention' },
);

const productCallSchema = Type.Object(
  {
    id: Type.String({
      description: 'The id of the call, the same at every attempt.',
      pattern: '^[A-Za-z0-9_-]+$',
      maxLength: 64,
    }),
    type: word('The kind of the call.', 'plan.suspend'),
    status: oneOf(
      productCallStatuses,
      'waiting: sent at next_attempt_at. attention: ran out of attempts and needs an administrator. done: taken, settled with its order, or done by hand. superseded: a later call carries the whole state. failed: not sent any more, because there is no product.',
    ),
    account: Type.Object({
      id: id('The customer’s account.'),
      username: text('What the account signs in with.', 64),
    }),
    customer: Type.Object({ id: id('The customer.'), reference: customerReference('Their reference.') }),
    order_id: orNothing(id('The order that made it.'), 'null: it belongs to no order.'),
    decides_order: Type.Boolean({
      description: 'Whether its answer completes or fails the order.',
    }),
    created_at: time('When it was written.'),
    attempts: count('Attempts so far.'),
    first_attempt_at: orNothing(time('The first attempt.'), 'null: there was none yet.'),
    last_attempt_at: orNothing(
      time('The latest attempt.'),
      'null: there was none yet, or it was not recorded.',
    ),
    next_attempt_at: orNothing(time('The next attempt.'), 'null: none is scheduled.'),
    last_status: orNothing(answerStatus('The status of the last answer.'), 'null: there was no answer.'),
    last_error: orNothing(
      text('Why the last attempt had no answer; no_product: there is no product.', 200),
      'null: it was answered, or not sent yet.',
    ),
    latest_attempts: Type.Array(
      Type.Object({
        at: time('When it was sent.'),
        status: orNothing(answerStatus('The status of the answer.'), 'null: there was no answer.'),
        error: orNothing(text('Why there was no answer.', 200), 'null: it was answered.'),
        milliseconds: orNothing(count('How long it took.'), 'null: nothing was sent.'),
        answer: orNothing(
          text('How the answer began: at most 200 bytes, without secrets.', 300),
          'null: it was empty, or there was none.',
        ),
      }),
      { description: 'The latest attempts, oldest first.', maxItems: 20 },
    ),
  },
  { $id: 'ProductCall' },
);

export const productCallAnswerSchema = Type.Object({ call: Type.Ref('ProductCall') });

export const productCallsQuerySchema = Type.Object({
  status: Type.Optional({
    ...oneOf(
      ['attention', 'failing', 'waiting'] as const,
      'attention (the default): ran out of attempts. failing: waiting after a failed attempt. waiting: all that wait.',
    ),
    examples: ['waiting'],
  }),
  order_id: Type.Optional(
    id('Only the call of this order, in any status. Send it without status and cursor.'),
  ),
  cursor: cursorParameter,
  limit: { ...pageQuerySchema.properties.limit, examples: [25] },
});

export const productCallListSchema = Type.Object({
  data: Type.Array(Type.Ref('ProductCall'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({ description: 'Send it as cursor for the next page.', maxLength: 200 }),
    'null: this is the last page.',
  ),
});

export const sentCallsSchema = Type.Object({
  calls: count('Calls that left the list: sent again, or closed because a later call replaces them.'),
  more: Type.Boolean({ description: 'More calls need attention: send the request again.' }),
});

export const setProductBodySchema = Type.Object(
  {
    mode,
    url: Type.String({
      description: 'https, or http where OUTBOUND_ALLOW admits it.',
      format: 'uri',
      maxLength: urlBytesMax,
    }),
    secret: Type.Optional(
      Type.String({
        description:
          'Signs the calls: whsec_ and 24 to 64 bytes in base64. Needed the first time; left out, the present one stays.',
        pattern: secretPattern,
        maxLength: 96,
      }),
    ),
    test_url: Type.Optional(
      orNothing(
        Type.String({ format: 'uri', maxLength: urlBytesMax }),
        'The address for orders of test mode, which use the same mode. null removes it; if left out, it stays unchanged.',
      ),
    ),
    test_secret: Type.Optional(
      Type.String({
        description: 'Signs the calls for tests. Needed the first time that test_url is sent.',
        pattern: secretPattern,
        maxLength: 96,
      }),
    ),
  },
  example({
    mode: 'confirm' as const,
    url: 'https://product.example.com/sellthrough',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }),
);

export const failOrderBodySchema = Type.Object(
  {
    reason: Type.String({ description: 'Why, for the account that ordered.', minLength: 1, maxLength: 200 }),
    idempotency_key: keyInBody,
  },
  example({ reason: 'The address is not served' }),
);

export const productAnswerSchema = Type.Object({ product: Type.Ref('Product') });

export const attentionQuerySchema = Type.Object({
  cursor: cursorParameter,
  limit: { ...pageQuerySchema.properties.limit, examples: [25] },
});

export const attentionListSchema = Type.Object({
  data: Type.Array(Type.Ref('OrderNeedingAttention'), { maxItems: 100 }),
  next_cursor: orNothing(
    Type.String({ description: 'Send it as cursor for the next page.', maxLength: 200 }),
    'null: this is the last page.',
  ),
});

export type ProductView = Static<typeof productSchema>;
export type AttentionOrderView = Static<typeof attentionOrderSchema>;
export type ProductCallView = Static<typeof productCallSchema>;

export const productNamedSchemas = [productSchema, attentionOrderSchema, productCallSchema];
