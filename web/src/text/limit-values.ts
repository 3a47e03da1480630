// Reads and writes limit values as people type them, by the operator's definitions of limits.

import { t } from '@lingui/core/macro';
import type { Limit, LimitValue, LimitValues } from '../api/shapes.ts';
import { readCount } from './amounts.ts';
import { formatCount, language } from './language.ts';

/** Typed values by the limit's key. An empty text means that the package does not have the limit. */
export type TypedLimits = Readonly<Record<string, string>>;

/** The typed value of a count without a limit. */
export const unlimited = 'unlimited';

export function limitName({ name }: Pick<Limit, 'name'>): string {
  return name[language] ?? name.en;
}

export function limitUnit({ unit }: Pick<Limit, 'unit'>): string | undefined {
  return unit?.[language] ?? unit?.en;
}

/** For example "500 GB". */
export function limitText(limit: Limit, value: LimitValue): string {
  if (value === null) return t`Unlimited`;
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  const text = typeof value === 'number' ? formatCount(value) : value;
  const unit = limitUnit(limit);
  return unit === undefined ? text : `${text} ${unit}`;
}

export function typedLimits(limits: readonly Limit[], values: LimitValues): TypedLimits {
  return Object.fromEntries(
    limits.map(({ key }) => [key, Object.hasOwn(values, key) ? typedValue(values[key]) : '']),
  );
}

function typedValue(value: LimitValue | undefined): string {
  if (value === null) return unlimited;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === undefined ? '' : String(value);
}

/** Returns undefined if the typed value is invalid. */
export function readLimit({ kind }: Limit, typed: string): LimitValue | undefined {
  if (kind === 'text') return typed.trim();
  if (kind === 'switch') return typed === 'yes';
  if (typed === unlimited) return null;
  return readCount(typed, Number.MAX_SAFE_INTEGER) ?? undefined;
}

export interface ReadLimits {
  readonly limits: LimitValues;
  /** Keys of the limits that the package does not have. */
  readonly without: readonly string[];
}

/** Returns null if one of the values is invalid. */
export function readLimits(limits: readonly Limit[], typed: TypedLimits): ReadLimits | null {
  const typedOf = ({ key }: Limit) => typed[key]?.trim() ?? '';
  const given = limits.filter((limit) => typedOf(limit) !== '');
  const values = given.map((limit) => [limit.key, readLimit(limit, typedOf(limit))] as const);
  const known = values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  if (known.length < values.length) return null;
  return {
    limits: Object.fromEntries(known),
    without: limits.filter((limit) => !given.includes(limit)).map(({ key }) => key),
  };
}

/** Whether `next` grants less than `present`. A limit that a package does not have grants nothing. */
export function isLess(next: LimitValue | undefined, present: LimitValue | undefined): boolean {
  if (present === undefined || present === false || next === null) return false;
  if (next === undefined) return true;
  if (typeof next === 'number') return present === null || (typeof present === 'number' && next < present);
  return next === false || next !== present;
}
