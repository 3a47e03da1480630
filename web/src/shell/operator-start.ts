// Sends an operator who opens the panel's root to the business overview, once per page load.

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { panelMode } from '../api/panel-mode.ts';
import { viewedAccount } from '../api/panel-view.ts';

/** True until it is known whether the person is an operator. */
let isUndecided = panelMode === 'live' && viewedAccount === null && !isLoadedAgain();

/** Returns true while it redirects. `isOperator` is undefined while unknown. */
export function useOperatorStart(isOperator: boolean | undefined): boolean {
  const navigate = useNavigate();
  const client = useQueryClient();
  const href = useRouterState({ select: ({ location }) => location.href });
  const [isGoing, setIsGoing] = useState(false);
  if (isUndecided && isOperator !== undefined) {
    isUndecided = false;
    if (isOperator && href === '/') setIsGoing(true);
  }
  useEffect(() => {
    if (!isGoing) return;
    void import('../api/console-start.ts')
      .then(({ consoleStart }) => consoleStart(client))
      .then((to) => navigate({ to, replace: true }))
      .then(() => setIsGoing(false));
  }, [isGoing, navigate, client]);
  return isGoing;
}

function isLoadedAgain(): boolean {
  const [loading] = performance.getEntriesByType('navigation');
  return loading instanceof PerformanceNavigationTiming && loading.type !== 'navigate';
}
