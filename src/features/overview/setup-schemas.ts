import Type from 'typebox';
import { oneOf } from '../../shared/schema-parts.ts';

export const setupSteps = [
  'brand',
  'limits',
  'packages',
  'prices',
  'product',
  'payments',
  'reseller',
  'address',
  'mail',
  'backup',
] as const;
export type SetupStep = (typeof setupSteps)[number];

export const setupSchema = Type.Object({
  steps: Type.Array(
    Type.Object({
      name: oneOf(setupSteps, 'In the order of the page.'),
      state: oneOf(['open', 'done', 'skipped'] as const, 'done: the database or the settings say so.'),
    }),
  ),
  findings: Type.Array(
    Type.Object({ name: Type.String(), state: oneOf(['warn', 'fail'] as const, ''), says: Type.String() }),
    { description: 'What `sellthrough doctor` would report about this process.' },
  ),
  public_url: Type.String({ description: 'Where links lead.' }),
});

export const skipSetupBodySchema = Type.Object({
  step: oneOf(setupSteps, 'The step.'),
  skipped: Type.Boolean({ description: 'false: show it again.' }),
});

export const productTestSchema = Type.Object({
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'null: no answer came.' }),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why no answer came.' }),
  answer: Type.Union([Type.String(), Type.Null()], { description: 'The beginning of the answer.' }),
  milliseconds: Type.Integer(),
  sent: Type.String({ description: 'The body of the call.' }),
});
