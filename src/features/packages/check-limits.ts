import Type, { type TSchema } from 'typebox';
import { createBodyCheck } from '../../platform/http/body-reader.ts';
import { fieldRefusal, isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { type JsonObject, own } from '../../shared/json.ts';
import {
  definedValues,
  type LimitDefinition,
  type LimitKind,
  type LimitValues,
  limitsOfFirstEdition,
} from '../../shared/limits.ts';

const values: Readonly<Record<LimitKind, TSchema>> = {
  count: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  switch: Type.Boolean(),
  text: Type.String({ maxLength: 80 }),
};

/** Refuses with validation_failed and the path of the limit. */
export function checkNewLimits(
  definitions: readonly LimitDefinition[],
  sent: JsonObject,
): LimitValues | Refusal {
  const namesOfFirstEdition = limitsOfFirstEdition.some((key) => Object.hasOwn(sent, key));
  const required = namesOfFirstEdition ? limitsOfFirstEdition : [];
  return checkLimits(definitions, sent, required);
}

/** A package's limits after a change: sent values replace old ones, and limits in `removed` no longer apply. */
export function changedLimits(
  definitions: readonly LimitDefinition[],
  before: LimitValues,
  sent: JsonObject,
  removed: readonly string[],
): LimitValues | Refusal {
  const checked = checkLimits(definitions, sent, []);
  if (isRefusal(checked)) return checked;
  const both = removed.find((key) => Object.hasOwn(sent, key));
  if (both !== undefined) {
    return fieldRefusal(
      'validation_failed',
      'remove_limits',
      `names ${both}, but \`limits\` sets it as well`,
    );
  }
  const kept = Object.entries({ ...before, ...checked }).filter(([key]) => !removed.includes(key));
  return definedValues(definitions, Object.fromEntries(kept));
}

function checkLimits(
  definitions: readonly LimitDefinition[],
  sent: JsonObject,
  required: readonly string[],
): LimitValues | Refusal {
  const unknown = Object.keys(sent).find((name) => !definitions.some(({ key }) => key === name));
  if (unknown !== undefined) {
    return fieldRefusal('validation_failed', `limits.${unknown.slice(0, 40)}`, 'is not a defined limit');
  }
  const properties = definitions
    // null means unlimited, so it needs no check.
    .filter(({ key, kind }) => kind !== 'count' || own(sent, key) !== null)
    .map(({ key, kind }): [string, TSchema] => [
      key,
      required.includes(key) ? values[kind] : Type.Optional(values[kind]),
    ]);
  const schema = Type.Object({ limits: Type.Object(Object.fromEntries(properties)) });
  return createBodyCheck(schema)({ limits: sent }) ?? definedValues(definitions, sent);
}
