// How long a plan still runs, in words: the one place that says it, so that no list says a day where there are hours.

import { plural, t } from '@lingui/core/macro';

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** "9 hours", "3 days"; of a plan that has ended, "Ended". */
export function planTimeLeft(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`under an hour`;
  if (seconds < daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour', other: '# hours' });
  }
  return plural(Math.round(seconds / daySeconds), { one: '# day', other: '# days' });
}

/** "9 hours left". */
export function planTimeLeftSentence(seconds: number): string {
  if (seconds <= 0) return t`Ended`;
  if (seconds < hourSeconds) return t`under an hour left`;
  if (seconds < daySeconds) {
    return plural(Math.floor(seconds / hourSeconds), { one: '# hour left', other: '# hours left' });
  }
  return plural(Math.round(seconds / daySeconds), { one: '# day left', other: '# days left' });
}
