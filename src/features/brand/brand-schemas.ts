import Type, { type Static } from 'typebox';
import { languages } from '../../shared/languages.ts';
import { mailAddressLengthMax } from '../../shared/mail-addresses.ts';
import { example, oneOf, orNothing } from '../../shared/schema-parts.ts';

const brandNameLengthMax = 60;
const letterheadLinesMax = 8;
const letterheadLineLengthMax = 80;
const logoTextLengthMax = Math.ceil(262_144 / 3) * 4;
export const logoBodyBytesMax = logoTextLengthMax + 1_024;

const name = Type.String({
  description: 'What the service is called on pages, in mails and on documents.',
  minLength: 1,
  maxLength: brandNameLengthMax,
});
const color = Type.String({
  description:
    'One color. Pages show lighter and darker shades of it, so that text in it and on it can always be read.',
  pattern: '^#[0-9A-Fa-f]{6}$',
  maxLength: 7,
  examples: ['#0f766e'],
});
const letterhead = Type.Array(Type.String({ minLength: 1, maxLength: letterheadLineLengthMax }), {
  description: 'Name and address on statements and receipts, line by line. Empty: STATEMENT_ISSUER.',
  maxItems: letterheadLinesMax,
});
const supportAddress = Type.String({
  description: 'The e-mail address where help is to be had, on the customer’s page and for replies to mails.',
  minLength: 3,
  maxLength: mailAddressLengthMax,
});
const language = oneOf(languages, 'The language for people who have not chosen one.');
const notSet = 'null: not set.';

const logoSchema = Type.Object({
  url: Type.String({ description: 'Where it is, for everybody.', format: 'uri-reference', maxLength: 2_048 }),
  type: oneOf(['image/png', 'image/jpeg'] as const, 'What it is by its bytes.'),
  width: Type.Integer({ description: 'In pixels.', minimum: 1, maximum: 2_048 }),
  height: Type.Integer({ description: 'In pixels.', minimum: 1, maximum: 2_048 }),
});

export const brandSchema = Type.Object(
  {
    name: orNothing(name, notSet),
    colour: orNothing(color, notSet),
    letterhead,
    support_address: orNothing(supportAddress, notSet),
    language,
    logo: orNothing(logoSchema, 'null: there is none.'),
  },
  { $id: 'Brand' },
);
export type BrandView = Static<typeof brandSchema>;

export const brandAnswerSchema = Type.Object({ brand: Type.Ref('Brand') });

export const setBrandBodySchema = Type.Object(
  {
    name: orNothing(name, notSet),
    colour: orNothing(color, notSet),
    letterhead,
    support_address: orNothing(supportAddress, notSet),
    language,
  },
  example({
    name: 'Example Hosting',
    colour: '#0f766e',
    letterhead: ['Example Hosting Ltd', '1 Harbour Street', 'Bristol'],
    support_address: 'help@example.com',
    language: 'en',
  }),
);

const smallestPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

export const setBrandLogoBodySchema = Type.Object(
  {
    data: Type.String({
      description:
        'A PNG (8 bits a color, not interlaced) or a JPEG (RGB or gray), in base64: at most 256 KiB, 2,048 pixels a side and two million in all, no side more than eight times the other.',
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      minLength: 4,
      maxLength: logoTextLengthMax,
    }),
  },
  example({ data: smallestPng }),
);

export const shownBrandSchema = Type.Object({
  name: orNothing(name, 'null: the product’s own.'),
  colour: orNothing(color, 'null: the product’s own.'),
  logo: orNothing(logoSchema, 'null: the product’s own.'),
  support_address: orNothing(supportAddress, notSet),
  language,
});
