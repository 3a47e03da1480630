// The hand-off's modes and calls in words for people. Unknown values are shown as they are.

import { t } from '@lingui/core/macro';

type Words = Readonly<Record<string, string>>;

const modes: Words = {
  none: t`Completed at once`,
  notify: t`Completed at once, then told`,
  confirm: t`Confirmed by the product`,
};
const calls: Words = {
  'plan.activate': t`Plan begins`,
  'plan.renew': t`Plan renewed`,
  'plan.change': t`Package changed`,
  'plan.suspend': t`Access suspended`,
  'plan.resume': t`Access resumed`,
  'plan.cancel': t`Plan cancelled`,
  'plan.expire': t`Plan ended`,
};

export function productModeWord(mode: string): string {
  return modes[mode] ?? mode;
}

export function productCallWord(type: string): string {
  return calls[type] ?? type;
}
