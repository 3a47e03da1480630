import Type from 'typebox';
import { amount, count, example, keyInBody, oneOf, time } from '../../shared/schema-parts.ts';

const testClockSchema = Type.Object(
  { now: time('The test’s time. It stands still until it is moved.') },
  { $id: 'TestClock' },
);

export const testClockAnswerSchema = Type.Object({ clock: Type.Ref('TestClock') });

export const moveTestClockBodySchema = Type.Object(
  {
    advance: Type.Optional(
      Type.String({
        description:
          'An ISO 8601 duration of whole years, months, weeks, days, hours, minutes and seconds, such as P1M or P1DT12H. Months and years are calendar months, as those of plans.',
        pattern: '^P[0-9YMWDTHS]+$',
        maxLength: 80,
      }),
    ),
    now: Type.Optional(time('The new time: not before the clock’s time, at most ten years after it.')),
    idempotency_key: keyInBody,
  },
  {
    description: 'One of advance and now.',
    ...example({ advance: 'P1M', idempotency_key: 'a-month-later' }),
  },
);

export const testClockMovedSchema = Type.Object({
  clock: Type.Ref('TestClock'),
  reached: Type.Boolean({
    description:
      'false: there was more to happen than one request has time for, and the clock stands where it came to. Send the same request with the same key again to go on.',
  }),
  stopped_by: Type.Optional(
    oneOf(
      ['test_full'],
      'Test data has used up its space, and the clock stands where it came to: reset the test account to go on. Absent otherwise.',
    ),
  ),
  happened: Type.Object(
    {
      renewals: count('Plans that renewed themselves.'),
      renewals_failed: count('Renewals that were refused: each is an event renewal.failed.'),
      ended: count('Plans that ended.'),
      warnings: count('Notices that a plan is about to end: each is an event plan.ending.'),
    },
    { description: 'What happened by itself on the way, of the whole move.' },
  ),
});

export const testCreditBodySchema = Type.Object(
  {
    amount: Type.String({
      description: 'More than 0.00, at most 1000000.00.',
      pattern: '^\\d{1,7}(\\.\\d{1,2})?$',
      maxLength: 10,
      examples: ['100.00'],
    }),
    memo: Type.Optional(Type.String({ maxLength: 500 })),
    idempotency_key: keyInBody,
  },
  example({ amount: '500.00', memo: 'For the test of a big order', idempotency_key: 'test-credit-1' }),
);

export const testResetSchema = Type.Object({
  clock: Type.Ref('TestClock'),
  balance: amount('What every test begins with.'),
});

export const testModeSchemas = [testClockSchema];
