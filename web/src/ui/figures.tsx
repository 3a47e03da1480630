import { formatCount } from '../text/language.ts';

export function figures(count: number) {
  return <span className="figures">{formatCount(count)}</span>;
}
