import { t } from '@lingui/core/macro';
import { DownloadButton, type DownloadButtonProps } from './download-button.tsx';

type CsvButtonProps = Omit<DownloadButtonProps, 'file' | 'title'> & {
  readonly name: string;
};

export function CsvButton({ name, query, ...rest }: CsvButtonProps) {
  return (
    <DownloadButton
      query={{ ...query, format: 'csv' }}
      file={`${name}.csv`}
      title={t`Export as CSV`}
      {...rest}
    />
  );
}
