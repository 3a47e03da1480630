import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { CsvColumns } from '../../api/payment-commands.ts';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type CsvHeader, csvColumns, guessColumns } from './csv-header.ts';

interface CsvColumnsDialogProps {
  readonly header: CsvHeader;
  readonly onChosen: (columns: CsvColumns) => void;
  readonly onClose: () => void;
}

export function CsvColumnsDialog({ header: { names, rows }, onChosen, onClose }: CsvColumnsDialogProps) {
  const [chosen, setChosen] = useState(() => guessColumns(names));
  const { date, amount, ...others } = chosen;
  const options = [{ value: '', title: '–' }, ...names.map((name) => ({ value: name, title: name }))];
  return (
    <FormDialog
      form={{
        isPending: false,
        error: null,
        onClose,
        onSend: () => {
          if (date !== undefined && amount !== undefined) onChosen({ date, amount, ...others });
        },
      }}
      title={t`Which columns does the file have?`}
      description={t`Day and amount are needed. The text or the reference says which account paid.`}
      action={t`Import`}
      ready={date !== undefined && amount !== undefined}
      width="wide"
    >
      <div className="max-w-full overflow-x-auto rounded-control border border-line">
        <table className="text-xs">
          <caption className="sr-only">{t`The first lines of the file`}</caption>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" className="px-2 py-1 text-left whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no other key and do not change
              <tr key={row} className="border-t border-line">
                {cells.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <td key={at} className="max-w-48 truncate px-2 py-1">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {csvColumns.map(({ name, title }) => (
          <SelectField
            key={name}
            label={title}
            value={chosen[name] ?? ''}
            options={options}
            onValue={(value) => {
              const { [name]: _before, ...rest } = chosen;
              setChosen(value === '' ? rest : { ...rest, [name]: value });
            }}
          />
        ))}
      </div>
    </FormDialog>
  );
}
