import { plural, t } from '@lingui/core/macro';
import { useState } from 'react';
import { bankFileBytesMax } from '../../../../src/shared/bank-files.ts';
import { base64Of } from '../../api/base64.ts';
import { ApiError } from '../../api/client.ts';
import { type CsvColumns, importBankStatement } from '../../api/payment-commands.ts';
import type { ImportedLines } from '../../api/shapes.ts';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useConfirmedCommand } from '../../ui/confirmed-command.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { bankFileWords } from './bank-file-words.ts';
import { CsvColumnsDialog } from './csv-columns-dialog.tsx';
import { type CsvHeader, readCsvHeader } from './csv-header.ts';

interface Wanted {
  readonly file: File;
  readonly columns: CsvColumns | null;
}

const send = async ({ file, columns }: Wanted, password: string | undefined) => ({
  name: file.name,
  ...(await importBankStatement({
    file: await base64Of(file),
    ...(columns !== null && { csv: { columns } }),
    current_password: password,
  })),
});

export function BankImportCard() {
  const [isOver, setIsOver] = useState(false);
  const [isTooLarge, setIsTooLarge] = useState(false);
  const [asked, setAsked] = useState<{ readonly file: File; readonly header: CsvHeader } | null>(null);
  const [done, setDone] = useState<{ readonly name: string; readonly lines: ImportedLines } | null>(null);
  const command = useConfirmedCommand(send, { action: t`Import`, onDone: setDone });

  async function take(file: File) {
    setDone(null);
    setIsTooLarge(file.size > bankFileBytesMax);
    if (file.size > bankFileBytesMax) return;
    const header = await readCsvHeader(file);
    if (header === null) command.mutate({ file, columns: null });
    else setAsked({ file, header });
  }

  return (
    <Card
      title={t`Import a bank statement`}
      description={t`camt.053, camt.054, MT940 or CSV, up to 10 MB. Each line counts once, however often files overlap.`}
    >
      <section
        aria-label={t`Drop a file here`}
        className={classNames(
          'flex flex-col items-center gap-2 rounded-control border border-dashed p-6 text-center',
          isOver ? 'border-accent bg-fill' : 'border-edge',
        )}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          const [file] = event.dataTransfer.files;
          if (file !== undefined && !command.isPending) void take(file);
        }}
      >
        <p className="text-soft">
          {command.isPending ? t`Importing …` : t`Drop the file here, or choose it.`}
        </p>
        <FileButton
          label={t`Choose file`}
          accept=".xml,.camt,.sta,.mt940,.txt,.csv,text/csv,text/xml,application/xml"
          disabled={command.isPending}
          onFile={(file) => void take(file)}
        />
      </section>
      <div className="mt-3 empty:hidden" aria-live="polite">
        {isTooLarge ? <Notice tone="warn">{t`The file is larger than 10 MB.`}</Notice> : null}
        {command.error === null ? null : (
          <ErrorNotice error={command.error}>
            {command.error instanceof ApiError && command.error.code === 'bank_file_refused' ? (
              <p>{bankFileWords(command.error)}</p>
            ) : null}
          </ErrorNotice>
        )}
        {done === null ? null : (
          <Notice tone={done.lines.unmatched > 0 ? 'warn' : 'good'}>
            <strong>
              <bdi>{done.name}</bdi>
            </strong>{' '}
            {importedWords(done.lines)}
          </Notice>
        )}
      </div>
      {command.dialog}
      {asked === null ? null : (
        <CsvColumnsDialog
          header={asked.header}
          onClose={() => setAsked(null)}
          onChosen={(columns) => {
            setAsked(null);
            command.mutate({ file: asked.file, columns });
          }}
        />
      )}
    </Card>
  );
}

function importedWords(lines: ImportedLines): string {
  const { new: fresh, known, credited, returned, unmatched, waiting, pending } = lines;
  return [
    plural(fresh, { one: '# new line.', other: '# new lines.' }),
    ...(known === 0 ? [] : [plural(known, { one: '# was known.', other: '# were known.' })]),
    ...(credited === 0 ? [] : [plural(credited, { one: '# credited.', other: '# credited.' })]),
    ...(returned === 0 ? [] : [plural(returned, { one: '# taken back.', other: '# taken back.' })]),
    ...(unmatched === 0
      ? []
      : [plural(unmatched, { one: '# waits for your decision.', other: '# wait for your decision.' })]),
    ...(waiting === 0
      ? []
      : [plural(waiting, { one: '# is credited later.', other: '# are credited later.' })]),
    ...(pending === 0
      ? []
      : [
          plural(pending, {
            one: '# was left out, because the bank hasn’t booked it yet.',
            other: '# were left out, because the bank hasn’t booked them yet.',
          }),
        ]),
  ].join(' ');
}
