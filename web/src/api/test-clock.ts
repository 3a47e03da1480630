// The test clock, from which test mode counts "in 3 days".

import { createContext, useContext } from 'react';

export const TestClockContext = createContext<string | null>(null);

export function useTestClock(): string | null {
  return useContext(TestClockContext);
}
