import Type, { type Static } from 'typebox';
import { limitDefinitionsMax, limitKeyPattern, limitKinds, limitPositionMax } from '../../shared/limits.ts';
import { example, oneOf } from '../../shared/schema-parts.ts';

const kind = oneOf(
  limitKinds,
  'count: an integer from 0, or null for unlimited. switch: true or false. text: at most 80 characters.',
);
const position = Type.Integer({
  description: 'Lists show lower ones first.',
  minimum: 0,
  maximum: limitPositionMax,
});
const hidden = Type.Boolean({
  description: 'true: pages do not show it. Programs and the product get it all the same.',
});

const inLanguages = (maxLength: number, description: string) => {
  const text = Type.String({ minLength: 1, maxLength, pattern: '\\S', examples: ['Seats'] });
  return Type.Object({ en: text, de: Type.Optional(text) }, { description });
};
const name = inLanguages(80, 'For people, in English and, if it differs, in German.');
const unit = inLanguages(20, 'After the value, such as GB.');

export const limitSchema = Type.Object(
  {
    key: Type.String({
      description: 'Its name in the limits of packages.',
      pattern: limitKeyPattern,
      maxLength: 40,
      examples: ['seats'],
    }),
    name,
    kind,
    unit: Type.Optional(unit),
    position,
    hidden,
  },
  { $id: 'Limit' },
);

export const limitBodySchema = Type.Object(
  {
    name,
    kind,
    unit: Type.Optional(unit),
    position: Type.Optional(position),
    hidden: Type.Optional(hidden),
  },
  example({ name: { en: 'Storage', de: 'Speicher' }, kind: 'count', unit: { en: 'GB' } }),
);

export const limitAnswerSchema = Type.Object({ limit: Type.Ref('Limit') });
export const limitListSchema = Type.Object({
  data: Type.Array(Type.Ref('Limit'), { description: 'In their order.', maxItems: limitDefinitionsMax }),
});

export type LimitView = Static<typeof limitSchema>;
