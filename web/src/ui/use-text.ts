import { useState } from 'react';

export function useText(first: string | (() => string) = '') {
  const [value, onText] = useState(first);
  return [value, { value, onText }, onText] as const;
}
