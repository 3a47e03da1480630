// Shows a note while the service is unreachable, and refetches everything afterwards.

import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useIsReachable } from '../api/connection.ts';

export function ConnectionBand() {
  const isReachable = useIsReachable();
  const client = useQueryClient();
  const wasReachable = useRef(true);
  useEffect(() => {
    if (isReachable && !wasReachable.current) void client.invalidateQueries();
    wasReachable.current = isReachable;
  }, [isReachable, client]);
  // The region is always rendered: screen readers announce changes only in a region that they already know.
  return (
    <div role="status" data-print="no" className="fixed inset-x-0 bottom-0 z-20 lg:left-60">
      {isReachable ? null : (
        <p className="flex items-center gap-2 border-t border-line bg-warn-fill px-4 py-2 text-warn sm:px-8">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          {t`No connection to the service. This page may be out of date; reconnecting automatically.`}
        </p>
      )}
    </div>
  );
}
