import { t } from '@lingui/core/macro';
import { Download } from 'lucide-react';
import { DownloadButton, type DownloadButtonProps } from './download-button.tsx';

interface CsvButtonProps extends Pick<DownloadButtonProps, 'path' | 'query' | 'look' | 'label' | 'children'> {
  readonly name: string;
}

/** Looks the same everywhere. `label` says what is exported where a page has several. */
export function CsvButton({ name, query, label = t`Export as CSV`, ...rest }: CsvButtonProps) {
  return (
    <DownloadButton
      icon={Download}
      query={{ ...query, format: 'csv' }}
      file={`${name}.csv`}
      label={label}
      {...rest}
    />
  );
}
