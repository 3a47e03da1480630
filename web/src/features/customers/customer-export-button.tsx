import { t } from '@lingui/core/macro';
import { Download } from 'lucide-react';
import { DownloadButton } from '../../ui/download-button.tsx';

interface CustomerExportButtonProps {
  readonly id: number;
  readonly isOperator?: boolean;
}

export function CustomerExportButton({ id, isOperator = false }: CustomerExportButtonProps) {
  return (
    <DownloadButton
      path={`${isOperator ? '/admin/v1' : '/v1'}/customers/${id}/export`}
      file={`customer-${id}.json`}
      icon={Download}
    >
      {t`Export data`}
    </DownloadButton>
  );
}
