// How long a plan still runs, in words, as the customer's page says it (src/features/brand/page-layout.ts): days are rounded up,
// but below two of them whole hours are counted, so that nobody comes a day late.

import { plural, t } from '@lingui/core/macro';

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** "9 hours", "3 days"; of a plan that has ended, "Ended". */
export function planTimeLeft(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`under an hour`;
  if (seconds < 2 * daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour', other: '# hours' });
  }
  return plural(Math.ceil(seconds / daySeconds), { one: '# day', other: '# days' });
}

/** "9 hours left". */
export function planTimeLeftSentence(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`under an hour left`;
  if (seconds < 2 * daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour left', other: '# hours left' });
  }
  return plural(Math.ceil(seconds / daySeconds), { one: '# day left', other: '# days left' });
}
