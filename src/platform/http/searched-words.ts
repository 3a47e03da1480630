// The parameter `words` of lists that can be searched.

import { fieldRefusal } from '../../shared/error-catalog.ts';
import type { ListQuery } from './list-query.ts';
import { RequestRefused } from './request-refused.ts';

const searchTextMax = 300;

/** @throws RequestRefused */
export function wordsOf(sent: ListQuery): string {
  const text = sent.text('words').trim();
  if (text.length <= searchTextMax) return text;
  const reason = `must have at most ${searchTextMax} characters`;
  throw new RequestRefused(fieldRefusal('invalid_filter', 'words', reason));
}
