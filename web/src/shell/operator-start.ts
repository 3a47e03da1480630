// Where an operator whose session goes on begins: with the business, as after signing in. Only where the panel itself was opened, at
// its own address; whoever goes to their overview afterwards, or loads it again, is left there.

import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';

/** Until somebody has been seen: then it has been decided. */
let isUndecided = panelMode === 'live' && viewedAccount === null && !isLoadedAgain();

/** True while it leads there. `isOperator` undefined: not known yet. */
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
