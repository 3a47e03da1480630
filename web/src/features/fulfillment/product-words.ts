// Names of product modes and call states. Unknown ones are shown as they are.

import { plural, t } from '@lingui/core/macro';
import type { AttentionCount, ProductCall } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { type Words, wordOf } from '../../text/words.ts';

export const productModeWord = wordOf({
  none: t`Complete immediately`,
  notify: t`Complete immediately, then notify`,
  confirm: t`Wait for confirmation`,
});
export const productCallWord = wordOf({
  'plan.activate': t`Plan start`,
  'plan.renew': t`Plan renewed`,
  'plan.change': t`Package changed`,
  'plan.suspend': t`Access suspended`,
  'plan.resume': t`Access resumed`,
  'plan.cancel': t`Plan canceled`,
  'plan.expire': t`Plan ended`,
});

const statuses: Words = {
  waiting: t`Pending`,
  attention: t`Needs attention`,
  done: t`Accepted`,
  superseded: t`Replaced by a later call`,
  failed: t`Out of attempts`,
};

export function callStatusWord({ status, last_status: last, decides_order: decides }: ProductCall): string {
  if (status !== 'done') return statuses[status] ?? status;
  if (decides && last === 422) return t`Refused`;
  if (last !== null && last >= 200 && last < 300) return t`Accepted`;
  return decides ? t`Resolved manually` : t`Done manually`;
}

/** The HTTP status of the last answer, or the reason why there was none. */
export function callAnswerWord({ attempts, last_status: status, last_error: problem }: ProductCall): string {
  if (status !== null) return String(status);
  return problem === null && attempts === 0 ? t`Not called yet` : callProblemWord(problem);
}

export function callProblemWord(problem: string | null): string {
  return problem === 'no_product' ? t`No product connected` : (problem ?? t`None`);
}

export function failingText({ count, more }: AttentionCount['failing']): string {
  return more
    ? t`The product hasn’t accepted more than ${formatCount(count)} calls`
    : plural(count, {
        one: 'The product hasn’t accepted # call',
        other: 'The product hasn’t accepted # calls',
      });
}
