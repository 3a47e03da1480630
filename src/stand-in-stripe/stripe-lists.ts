// Pages of lists: newest first, from or up to an object, within a range of time.

import type { JsonObject } from '../shared/json.ts';
import type { FormParams } from './form-params.ts';
import { invalidRequest, missingObject } from './stripe-refusal.ts';

const pageDefault = 10;
const pageMax = 100;

export interface WholeList {
  readonly url: string;
  readonly kind: string;
  /** Newest first. */
  readonly all: readonly JsonObject[];
  readonly isWanted: (object: JsonObject) => boolean;
}

/** May start after an object that the filters leave out. */
export function pageOf(params: FormParams, { url, kind, all, isWanted }: WholeList): JsonObject {
  const limit = params.integer('limit') ?? pageDefault;
  if (limit < 1 || limit > pageMax)
    throw invalidRequest(`Invalid limit: must be between 1 and ${pageMax}.`, {
      code: 'parameter_invalid_integer',
      param: 'limit',
    });
  const place = (param: string) => {
    const id = params.text(param);
    const index = all.findIndex((object) => object['id'] === id);
    if (id !== null && index < 0) throw missingObject(kind, id, param);
    return id === null ? null : index;
  };
  const isInTime = createdWithin(params);
  const found = (objects: readonly JsonObject[]) =>
    objects.filter((object) => isInTime(object) && isWanted(object));
  const before = place('ending_before');
  if (before !== null) {
    const newer = found(all.slice(0, before));
    return listObject(newer.slice(-limit), newer.length > limit, url);
  }
  const older = found(all.slice((place('starting_after') ?? -1) + 1));
  return listObject(older.slice(0, limit), older.length > limit, url);
}

export function listObject(data: readonly JsonObject[], hasMore: boolean, url: string): JsonObject {
  return { object: 'list', data, has_more: hasMore, url };
}

/** `created` is a second, or a range with gt, gte, lt, lte. */
function createdWithin(params: FormParams): (object: JsonObject) => boolean {
  if (!params.isNested('created')) {
    const at = params.integer('created');
    return ({ created }) => at === null || created === at;
  }
  const range = params.requiredObject('created');
  range.refuseOthers(['gt', 'gte', 'lt', 'lte']);
  const bound = (name: string, otherwise: number) => range.integer(name) ?? otherwise;
  const from = Math.max(bound('gte', 0), bound('gt', -1) + 1);
  const to = Math.min(bound('lte', Number.MAX_SAFE_INTEGER), bound('lt', Number.MAX_SAFE_INTEGER) - 1);
  return ({ created }) => Number(created) >= from && Number(created) <= to;
}
