// Lets the operator define, change and delete the limits that packages can have.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, SlidersHorizontal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteLimit, type LimitSettings, setLimit } from '../../api/commands.ts';
import { definedLimitsQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import type { Limit } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { readCount } from '../../text/amounts.ts';
import { limitName, limitUnit } from '../../text/limit-values.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { useText } from '../../ui/use-text.ts';

const kindWords: Readonly<Record<Limit['kind'], string>> = {
  count: t`Number`,
  switch: t`Yes or no`,
  text: t`Text`,
};
const kinds = ['count', 'switch', 'text'] as const;

type Opened = 'new' | { readonly edit: Limit } | { readonly remove: Limit } | null;

export function LimitsCard() {
  const query = useQuery(definedLimitsQuery);
  const mayChange = useMay()('admin:packages');
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const add = mayChange ? (
    <Button icon={Plus} onClick={() => setOpened('new')}>{t`Add a limit`}</Button>
  ) : null;
  const columns: readonly Column<Limit>[] = [
    {
      title: t`Name`,
      cell: (limit) => (
        <>
          <bdi className="font-medium">{limitName(limit)}</bdi>{' '}
          {limit.hidden ? <Badge>{t`Hidden`}</Badge> : null}
        </>
      ),
    },
    { title: t`Key`, from: 'sm', cell: ({ key }) => <code className="font-mono text-xs">{key}</code> },
    { title: t`Kind`, cell: ({ kind }) => kindWords[kind] },
    { title: t`Unit`, from: 'sm', cell: (limit) => limitUnit(limit) ?? '–' },
    ...(mayChange
      ? [
          {
            title: t`Actions`,
            align: 'end' as const,
            cell: (limit: Limit) => (
              <span className="inline-flex">
                <IconButton label={t`Edit`} icon={Pencil} onClick={() => setOpened({ edit: limit })} />
                <IconButton label={t`Delete`} onClick={() => setOpened({ remove: limit })}>
                  <Trash2 aria-hidden="true" className="size-4 text-bad" />
                </IconButton>
              </span>
            ),
          },
        ]
      : []),
  ];
  return (
    <Card
      title={t`Limits`}
      description={t`What a package can grant, such as seats or storage. Your product receives the values by key; customers see the names.`}
      action={add}
      lined
    >
      <DataTable
        caption={t`Defined limits`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ key }) => key}
        empty={<EmptyState icon={SlidersHorizontal} title={t`No limits yet`} action={add} />}
      />
      {opened === 'new' ? <LimitDialog limit={null} onClose={close} /> : null}
      {opened !== null && opened !== 'new' && 'edit' in opened ? (
        <LimitDialog limit={opened.edit} onClose={close} />
      ) : null}
      {opened !== null && opened !== 'new' && 'remove' in opened ? (
        <DeleteDialog limit={opened.remove} onClose={close} />
      ) : null}
    </Card>
  );
}

interface LimitDialogProps {
  readonly limit: Limit | null;
  readonly onClose: () => void;
}

function LimitDialog({ limit, onClose }: LimitDialogProps) {
  const [key, keyField] = useText(limit?.key ?? '');
  const [name, nameField] = useText(limit?.name.en ?? '');
  const [german, germanField] = useText(limit?.name.de ?? '');
  const [unit, unitField] = useText(limit?.unit?.en ?? '');
  const [germanUnit, germanUnitField] = useText(limit?.unit?.de ?? '');
  const [position, positionField] = useText(limit === null ? '' : String(limit.position));
  const [kind, setKind] = useState<Limit['kind']>(limit?.kind ?? 'count');
  const [hidden, setHidden] = useState(limit?.hidden ?? false);
  const place = readCount(position);
  const isPlace = position.trim() === '' || place !== null;
  const settings: LimitSettings = {
    name: { en: name.trim(), ...(german.trim() !== '' && { de: german.trim() }) },
    kind,
    hidden,
    ...(kind === 'count' &&
      unit.trim() !== '' && {
        unit: { en: unit.trim(), ...(germanUnit.trim() !== '' && { de: germanUnit.trim() }) },
      }),
    ...(place !== null && { position: place }),
  };
  const form = useDialogForm({
    onClose,
    isDoneOnceRead: true,
    send: () => setLimit(key.trim(), settings),
    says: ({ limit: saved }) => t`${limitName(saved)} is saved.`,
  });
  const isKey = /^[a-z][a-z0-9_]{0,39}$/.test(key.trim());
  return (
    <FormDialog
      form={form}
      title={limit === null ? t`New limit` : t`Change ${limitName(limit)}`}
      action={limit === null ? t`Add limit` : t`Save`}
      ready={isKey && name.trim() !== '' && isPlace}
      isChanged={name !== (limit?.name.en ?? '') || key !== (limit?.key ?? '')}
      error={form.error}
    >
      <fieldset disabled={form.isPending} className="grid min-w-0 gap-4 sm:grid-cols-2">
        <TextField label={t`Name`} autoFocus maxLength={80} {...nameField} />
        <TextField label={t`Name in German`} hint={t`Optional.`} maxLength={80} {...germanField} />
        <TextField
          label={t`Key`}
          hint={t`What your product reads. Lower-case letters, digits and underscores.`}
          kind="name"
          mono
          maxLength={40}
          disabled={limit !== null}
          problem={key === '' || isKey ? null : t`Begin with a letter; use lower-case letters, digits and _.`}
          {...keyField}
        />
        <TextField
          label={t`Position`}
          hint={t`Lower numbers come first. Empty: last.`}
          kind="count"
          problem={isPlace ? null : t`Enter a whole number, without decimals.`}
          {...positionField}
        />
        <div className="sm:col-span-2">
          <Choice
            label={t`Kind`}
            labelShown
            value={kind}
            options={kinds.map((value) => ({ value, title: kindWords[value] }))}
            onChoose={setKind}
          />
        </div>
        {kind === 'count' ? (
          <>
            <TextField label={t`Unit`} hint={t`Optional, such as GB.`} maxLength={20} {...unitField} />
            <TextField label={t`Unit in German`} hint={t`Optional.`} maxLength={20} {...germanUnitField} />
          </>
        ) : null}
        <div className="sm:col-span-2">
          <SwitchField
            label={t`Hidden`}
            hint={t`Pages don’t show it. Your product receives it all the same.`}
            checked={hidden}
            onChange={setHidden}
          />
        </div>
      </fieldset>
    </FormDialog>
  );
}

function DeleteDialog({ limit, onClose }: { readonly limit: Limit; readonly onClose: () => void }) {
  const form = useDialogForm({
    onClose,
    send: () => deleteLimit(limit.key),
    says: () => t`${limitName(limit)} is deleted.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Delete ${limitName(limit)}?`}
      action={t`Delete limit`}
      danger
      ready
      error={form.error}
    >
      <p>{t`Your product will no longer receive this limit. First remove it from every package on offer.`}</p>
    </FormDialog>
  );
}
