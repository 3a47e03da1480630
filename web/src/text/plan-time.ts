// The remaining time of a plan in words, as on the customer's page. Days are rounded up. Below two days it counts whole
// hours, so that no customer comes back a day late.

import { plural, t } from '@lingui/core/macro';

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** For example "9 hours", "3 days" or "Ended". */
export function planTimeLeft(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`less than an hour`;
  if (seconds < 2 * daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour', other: '# hours' });
  }
  return plural(Math.ceil(seconds / daySeconds), { one: '# day', other: '# days' });
}

export function planTimeLeftSentence(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`less than an hour left`;
  if (seconds < 2 * daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour left', other: '# hours left' });
  }
  return plural(Math.ceil(seconds / daySeconds), { one: '# day left', other: '# days left' });
}
