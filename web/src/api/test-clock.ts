// The test clock. In test mode, phrases such as "in 3 days" count from it.

import { createContext, useContext } from 'react';

export const TestClockContext = createContext<string | null>(null);

export function useTestClock(): string | null {
  return useContext(TestClockContext);
}
