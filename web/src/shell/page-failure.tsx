// Shown when a page crashed, or when its code could not be loaded because a new version was deployed.

import { t } from '@lingui/core/macro';
import { CircleAlert } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

export function PageFailure() {
  return (
    <div role="alert">
      <EmptyState
        icon={CircleAlert}
        title={t`Couldn’t load this page`}
        action={<Button onClick={() => window.location.reload()}>{t`Reload`}</Button>}
      >
        {t`The connection was lost, or there is a new version of the panel. Reload the page.`}
      </EmptyState>
    </div>
  );
}
