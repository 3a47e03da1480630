// A count in a column: its digits line up with those above and below.

import { formatCount } from '../text/language.ts';

export function figures(count: number) {
  return <span className="figures">{formatCount(count)}</span>;
}
