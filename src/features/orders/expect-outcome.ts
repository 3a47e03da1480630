// From what the engine says of a command to its outcome, or to the refusal that is sent: for the routes that submit one.

import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { Refusal } from '../../shared/error-catalogue.ts';

/**
 * The outcome, which is of this type.
 *
 * @throws RequestRefused with the refusal of the engine, or of the caller
 */
export function expectOutcome<
  Outcome extends { readonly type: string; readonly refusal?: Refusal },
  Type extends Outcome['type'],
>(outcome: Outcome | Refusal, type: Type): Extract<Outcome, { readonly type: Type }> {
  const accepted = orRefuse(outcome) as Outcome;
  if (accepted.refusal !== undefined) throw new RequestRefused(accepted.refusal);
  if (accepted.type !== type)
    throw new Error(`A command that ends in "${type}" ended in "${accepted.type}".`);
  return accepted as Extract<Outcome, { readonly type: Type }>;
}
