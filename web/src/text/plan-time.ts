// The remaining time in words, as on the customer's page (src/features/customer-portal/customer-pages.ts): days rounded up,
// below two days whole hours, so that no customer comes a day late.

import { plural, t } from '@lingui/core/macro';

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** "9 hours", "3 days", "Ended". */
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
