import { t } from '@lingui/core/macro';
import { Notice } from '../../ui/notice.tsx';

/** Shown after an upgrade, while the job sums up earlier orders. */
export function CalculatingNotice() {
  return <Notice tone="info">{t`Past orders are being totaled. This takes a few minutes, once.`}</Notice>;
}
