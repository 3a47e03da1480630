import { t } from '@lingui/core/macro';
import { useMe } from '../../api/me.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { Notice } from '../../ui/notice.tsx';

/** Shown only while the account owes something. */
export function ReceivableNotice() {
  const { account, receivable } = useMe();
  if (toCents(receivable) === 0n) return null;
  return (
    <Notice tone="warn">
      {t`You owe ${formatMoney(receivable, account.currency)}, because a payment that you had already spent was taken back. It is paid first from the next funds that you add.`}
    </Notice>
  );
}
