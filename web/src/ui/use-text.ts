// A text that is typed into a field: what it is now, what its TextField takes, and how it is set from elsewhere.

import { useState } from 'react';

export function useText(first: string | (() => string) = '') {
  const [value, onText] = useState(first);
  return [value, { value, onText }, onText] as const;
}
