// Sends an operator with a running session to the business overview, only when the panel's root was opened; later visits to
// the overview stay.

import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';

/** Decided when the person is first known. */
let isUndecided = panelMode === 'live' && viewedAccount === null && !isLoadedAgain();

/** True while redirecting. `isOperator` undefined: unknown. */
export function useOperatorStart(isOperator: boolean | undefined): boolean {
  const navigate = useNavigate();
  const href = useRouterState({ select: ({ location }) => location.href });
  const [isGoing, setIsGoing] = useState(false);
  if (isUndecided && isOperator !== undefined) {
    isUndecided = false;
    if (isOperator && href === '/') setIsGoing(true);
  }
  useEffect(() => {
    if (isGoing) void navigate({ to: '/admin', replace: true }).then(() => setIsGoing(false));
  }, [isGoing, navigate]);
  return isGoing;
}

function isLoadedAgain(): boolean {
  const [loading] = performance.getEntriesByType('navigation');
  return loading instanceof PerformanceNavigationTiming && loading.type !== 'navigate';
}
