import { t } from '@lingui/core/macro';
import { useMe } from '../../api/me.ts';
import { formatMoney } from '../../text/amounts.ts';
import { Notice } from '../../ui/notice.tsx';

export default function ReceivableNotice() {
  const { account, receivable } = useMe();
  return (
    <Notice tone="warn">
      {t`You owe ${formatMoney(receivable, account.currency)}: a payment that you had spent was taken back. What you add next pays it first.`}
    </Notice>
  );
}
