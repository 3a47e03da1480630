import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { leave } from '../features/auth/leave.ts';
import { windowTitle } from '../text/service-name.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

export default function BlockedScreen() {
  const client = useQueryClient();
  return (
    <main className="grid min-h-dvh place-items-center">
      <title>{windowTitle(t`Account blocked`)}</title>
      <EmptyState
        isPage
        icon={Ban}
        title={t`This account is blocked`}
        action={<Button onClick={() => leave(client)}>{t`Sign out`}</Button>}
      >
        {t`Its API and panel are disabled; its customers’ plans keep running. Contact the operator.`}
      </EmptyState>
    </main>
  );
}
