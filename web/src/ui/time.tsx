// A time in the reader's time zone, with UTC as a tooltip.

import { useTestClock } from '../api/test-clock.ts';
import { formatTime, formatUtc, type TimeStyle } from '../text/times.ts';

export function Time({ at, style = 'minute' }: { readonly at: string; readonly style?: TimeStyle }) {
  const testClock = useTestClock();
  return (
    <time dateTime={at} title={formatUtc(at)} className="figures whitespace-nowrap">
      {formatTime(at, style, testClock === null ? Date.now() : Date.parse(testClock))}
    </time>
  );
}
