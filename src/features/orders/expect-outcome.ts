import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { Refusal } from '../../shared/error-catalog.ts';

export function expectOutcome<
  Outcome extends { readonly type: string; readonly refusal?: Refusal },
  Type extends Outcome['type'],
>(outcome: Outcome | Refusal, type: Type): Extract<Outcome, { readonly type: Type }> {
  const accepted = orRefuse(outcome) as Outcome;
  if (accepted.refusal !== undefined) throw new RequestRefused(accepted.refusal);
  if (accepted.type !== type) throw new Error(`Expected the outcome "${type}", got "${accepted.type}".`);
  return accepted as Extract<Outcome, { readonly type: Type }>;
}
