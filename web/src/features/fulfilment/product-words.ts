// Names of product modes and call states. Unknown ones are shown as they are.

import { plural, t } from '@lingui/core/macro';
import type { AttentionCount, ProductCall } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { type Words, wordOf } from '../../text/words.ts';

export const productModeWord = wordOf({
  none: t`Completed at once`,
  notify: t`Completed at once, then told`,
  confirm: t`Confirmed by the product`,
});
export const productCallWord = wordOf({
  'plan.activate': t`Plan begins`,
  'plan.renew': t`Plan renewed`,
  'plan.change': t`Package changed`,
  'plan.suspend': t`Access suspended`,
  'plan.resume': t`Access resumed`,
  'plan.cancel': t`Plan cancelled`,
  'plan.expire': t`Plan ended`,
});

const statuses: Words = {
  waiting: t`Waiting`,
  attention: t`Needs attention`,
  done: t`Taken`,
  superseded: t`Replaced by a later call`,
  failed: t`Not sent any more`,
};

export function callStatusWord({ status, last_status: last, decides_order: decides }: ProductCall): string {
  if (status !== 'done') return statuses[status] ?? status;
  if (decides && last === 422) return t`Refused`;
  if (last !== null && last >= 200 && last < 300) return t`Taken`;
  return decides ? t`Decided by hand` : t`Done by hand`;
}

/** The last answer, or why there was none. */
export function callAnswerWord({ attempts, last_status: status, last_error: problem }: ProductCall): string {
  if (status !== null) return String(status);
  return problem === null && attempts === 0 ? t`Not asked yet` : callProblemWord(problem);
}

export function callProblemWord(problem: string | null): string {
  return problem === 'no_product' ? t`There is no product` : (problem ?? t`Nothing`);
}

export function failingText({ count, more }: AttentionCount['failing']): string {
  return more
    ? t`The product has not taken more than ${formatCount(count)} calls`
    : plural(count, { one: 'The product has not taken # call', other: 'The product has not taken # calls' });
}
