// Creates a package for each line of a CSV text. The first line names the columns.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createPackage, type PackageSettings } from '../../api/commands.ts';
import { definedLimitsQuery } from '../../api/console-queries.ts';
import type { Limit } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { Field, inputClasses } from '../../ui/field.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { packagesIn } from './packages-csv.ts';

export function PackagesFileDialog({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery(definedLimitsQuery);
  const limits = data?.data ?? [];
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? exampleOf(limits);
  const read = packagesIn(shown, limits);
  const packages: readonly PackageSettings[] = 'problem' in read ? [] : read;
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: async ({ password }) => {
      for (const one of packages) await createPackage({ ...one, current_password: password });
      return packages.length;
    },
    says: (count) => plural(count, { one: '# package created.', other: '# packages created.' }),
  });
  return (
    <FormDialog
      form={form}
      title={t`Import packages`}
      description={t`One line for each package. Paste from a spreadsheet or choose a file.`}
      action={
        packages.length > 0
          ? plural(packages.length, { one: 'Create # package', other: 'Create # packages' })
          : t`Create packages`
      }
      ready={packages.length > 0}
      isChanged={text !== null}
      width="wide"
    >
      <FileButton
        label={t`Choose a file`}
        accept=".csv,text/csv,text/plain"
        onFile={(file) => void file.text().then(setText)}
      />
      <Field label={t`CSV`} problem={'problem' in read ? read.problem : null}>
        {(wiring) => (
          <textarea
            {...wiring}
            rows={8}
            spellCheck={false}
            value={shown}
            className={`${inputClasses} py-2 font-mono`}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

const sampleOf = { count: '10', switch: 'yes', text: '' } as const;

function exampleOf(limits: readonly Limit[]): string {
  const keys = limits.map(({ key }) => key);
  const head = [
    'name',
    ...keys,
    'reseller_monthly',
    'reseller_yearly',
    'distributor_monthly',
    'distributor_yearly',
  ];
  const values = ['Starter', ...limits.map(({ kind }) => sampleOf[kind]), '9.00', '90.00', '7.50', '75.00'];
  return `${head.join(',')}\n${values.join(',')}\n`;
}
