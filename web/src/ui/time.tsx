// A time in the reader's zone; pointing at it shows the exact moment in UTC.

import { formatTime, formatUtc, type TimeStyle } from '../text/times.ts';

export function Time({ at, style = 'minute' }: { readonly at: string; readonly style?: TimeStyle }) {
  return (
    <time dateTime={at} title={formatUtc(at)} className="figures whitespace-nowrap">
      {formatTime(at, style, Date.now())}
    </time>
  );
}
