// A demo's sign-in page: who to be, without a password.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { lookAround } from '../../api/commands.ts';
import { signInOptionsQuery } from '../../api/queries.ts';
import { useCommand } from '../../api/use-command.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';

const pollMilliseconds = 1_000;

export function LookAround() {
  const { data: options } = useQuery({
    ...signInOptionsQuery,
    refetchInterval: ({ state }) => (state.data?.demo === 'ready' ? false : pollMilliseconds),
  });
  const command = useCommand(lookAround, {
    onDone: ({ path }) => window.location.assign(path),
  });
  const isReady = options?.demo === 'ready';
  const roles = [
    ['operator', t`Operator`, t`sells through resellers`],
    ['reseller', t`Reseller`, t`orders for its customers`],
    ['customer', t`Customer`, t`sees their own plan`],
  ] as const;
  return (
    <section aria-label={t`Look around without a password`} className="mt-5 border-t border-line pt-5">
      <h2 className="mb-1 text-sm">{t`Look around without a password`}</h2>
      <p className="mb-3 text-sm text-soft" role="status">
        {isReady
          ? t`A demo on this machine, with a year of orders. Nothing is real.`
          : t`A year of demo orders is being made. This takes a few seconds.`}
      </p>
      <div className="flex flex-col gap-2">
        {roles.map(([role, name, what]) => (
          <Button
            key={role}
            disabled={!isReady || command.isPending}
            className="justify-start"
            onClick={() => command.mutate({ role })}
          >
            {name}
            <span className="truncate font-normal text-soft">{what}</span>
          </Button>
        ))}
      </div>
      {command.error === null ? null : <ErrorNotice error={command.error} />}
    </section>
  );
}
