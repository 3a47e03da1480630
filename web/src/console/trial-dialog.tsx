// Gives a customer of an account a free trial: charges nothing, makes no order.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { grantTrial } from '../api/commands.ts';
import { allPackagesQuery } from '../api/queries.ts';
import type { Account } from '../api/shapes.ts';
import { useCommand } from '../api/use-command.ts';
import { Choice } from '../ui/choice.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { say } from '../ui/toasts.tsx';

export function TrialDialog({
  account,
  customer: given,
  onClose,
}: {
  readonly account: Pick<Account, 'id' | 'username'>;
  /** Who gets it, where that is known. */
  readonly customer?: string;
  readonly onClose: () => void;
}) {
  const { data: packages } = useQuery(allPackagesQuery);
  const trials = packages?.data.filter(({ trial, retired }) => trial && !retired);
  const [chosen, setChosen] = useState<number | null>(null);
  const [customer, setCustomer] = useState(given ?? '');
  const [name, setName] = useState('');
  const packageId = chosen ?? trials?.[0]?.id ?? null;
  const command = useCommand((body: Parameters<typeof grantTrial>[1]) => grantTrial(account.id, body), {
    onDone: ({ customer: done }) => {
      say(
        t`${done.name} has ${done.plan.package} for ${plural(done.plan.days_left, { one: '# day', other: '# days' })}.`,
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Give a free trial`}
      description={
        given === undefined ? (
          <Trans>
            To a customer of <bdi className="text-ink">{account.username}</bdi>. Nothing is charged.
          </Trans>
        ) : (
          <Trans>
            To <bdi className="text-ink">{given}</bdi> of <bdi className="text-ink">{account.username}</bdi>.
            Nothing is charged.
          </Trans>
        )
      }
      action={t`Give trial`}
      busy={command.isPending}
      ready={packageId !== null && customer.trim() !== ''}
      error={command.error}
      onSubmit={() => {
        if (packageId === null) return;
        command.mutate({
          package_id: packageId,
          customer: customer.trim(),
          ...(name.trim() !== '' && { customer_name: name.trim() }),
        });
      }}
      onClose={onClose}
    >
      {trials === undefined ? (
        <Skeleton className="h-12 w-full" />
      ) : trials.length === 0 ? (
        <Notice tone="warn">
          <Trans>
            There is no free trial to give. <TextLink to="/admin/packages">Create a package</TextLink> that is
            one.
          </Trans>
        </Notice>
      ) : (
        <Choice
          label={t`Trial`}
          labelShown
          look="cards"
          value={packageId}
          options={trials.map((one) => ({
            value: one.id,
            title: <bdi className="font-medium">{one.name}</bdi>,
            note: plural(one.duration_days, { one: '# day', other: '# days' }),
          }))}
          onChoose={setChosen}
        />
      )}
      {given === undefined ? (
        <>
          <TextField
            label={t`Customer`}
            autoFocus
            hint={t`An e-mail address or a username. A new one is created.`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
            value={customer}
            onText={setCustomer}
          />
          <TextField
            label={t`Name`}
            hint={t`Optional: used for a new customer.`}
            autoComplete="off"
            maxLength={120}
            value={name}
            onText={setName}
          />
        </>
      ) : null}
    </FormDialog>
  );
}
