// What time it is in test mode, for the pages that show it: there "in 3 days" counts from the test's clock.

import { createContext, useContext } from 'react';

/** null: the page shows what is real. */
export const TestClockContext = createContext<string | null>(null);

export function useTestClock(): string | null {
  return useContext(TestClockContext);
}
