// What a package can grant: limits that the operator defines, such as seats or storage. Pure functions.

import { type JsonObject, own } from './json.ts';
import type { Language } from './languages.ts';

/** A count is a number from 0, or null for unlimited. */
export const limitKinds = ['count', 'switch', 'text'] as const;
export type LimitKind = (typeof limitKinds)[number];
export type LimitValue = number | null | boolean | string;
/** In the order of the definitions. */
export type LimitValues = Readonly<Record<string, LimitValue>>;

export const limitKeyPattern = '^[a-z][a-z0-9_]{0,39}$';
export const limitDefinitionsMax = 50;
export const limitPositionMax = 1_000_000;

export type NameInLanguages = Readonly<Partial<Record<Language, string>>> & { readonly en: string };

export interface LimitDefinition {
  readonly key: string;
  readonly kind: LimitKind;
  readonly name: NameInLanguages;
  /** Shown after the value: "GB". */
  readonly unit: NameInLanguages | null;
  readonly position: number;
  /** People do not see the limit, but programs get it. */
  readonly hidden: boolean;
}

/** A new package that sets one of these must set all of them that are defined, as in the first edition. */
export const limitsOfFirstEdition = ['accounts', 'posts_per_day', 'ai_images_per_month'] as const;

/** A package's values of defined limits, in their order. A retired package may store values of limits deleted since. */
export function definedValues(definitions: readonly LimitDefinition[], stored: JsonObject): LimitValues {
  return Object.fromEntries(
    definitions.flatMap(({ key, kind }) => {
      const value = own(stored, key);
      return isOfKind(kind, value) ? [[key, value]] : [];
    }),
  );
}

function isOfKind(kind: LimitKind, value: unknown): value is LimitValue {
  if (kind === 'count') return value === null || typeof value === 'number';
  return typeof value === (kind === 'switch' ? 'boolean' : 'string');
}
