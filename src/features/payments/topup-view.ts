// A top-up as answers and events show it.

import type { Static } from 'typebox';
import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { NewEvent } from '../events/event-log.ts';
import { epcCode } from './bank/epc-code.ts';
import { rfReference } from './bank/rf-reference.ts';
import type { PaymentSettings } from './payment-settings.ts';
import type { topupSchema } from './topup-schemas.ts';
import type { ListedTopup } from './topup-table.ts';

/** `bank`: where transfers go; null if there is no account for them. */
export type BankAccount = Pick<PaymentSettings, 'bankHolder' | 'bankIban' | 'bankBic'>;

export function topupView(topup: ListedTopup, currency: string, to: BankAccount): Static<typeof topupSchema> {
  const { accountId, number, method, status, amountCents, creditedAt, expiresAt } = topup;
  const isWaiting = status === 'open';
  const reference = method === 'card' ? cardReference(topup) : rfReference(accountId);
  const { bankHolder: holder, bankIban: iban, bankBic: bic } = to;
  const bank =
    method === 'bank_transfer' && isWaiting && holder !== null && iban !== null
      ? { holder, iban, bic, reference: rfReference(accountId) }
      : null;
  return {
    id: publicId(accountId, number),
    status,
    method,
    amount: formatAmount(amountCents),
    tax: formatAmount(0n),
    total: formatAmount(amountCents),
    currency,
    refunded: formatAmount(topup.refundedCents),
    disputed: formatAmount(topup.disputedCents),
    reference,
    created_at: formatTime(topup.createdAt),
    expires_at: expiresAt === null ? null : formatTime(expiresAt),
    credited_at: creditedAt === null ? null : formatTime(creditedAt),
    ledger_entry_id: topup.entryNumber === null ? null : publicId(accountId, topup.entryNumber),
    ...(isWaiting && topup.payUrl !== null && { pay_url: topup.payUrl }),
    ...(bank !== null && {
      bank: { ...bank, qr: epcCode({ ...bank, bic: bic ?? undefined, amountCents, currency }) },
    }),
  };
}

function cardReference({ paymentRef }: ListedTopup): string | null {
  return paymentRef === null ? null : paymentRef.slice(paymentRef.indexOf(':') + 1);
}

export function topupEvent(
  type: 'topup.failed' | 'topup.expired' | 'auto_topup.paused' | 'auto_topup.disabled',
  topup: ListedTopup,
  currency: string,
): NewEvent {
  const { accountId, number, method, status, amountCents } = topup;
  return {
    type,
    data: {
      topup: {
        id: publicId(accountId, number),
        method,
        status,
        amount: formatAmount(amountCents),
        refunded: formatAmount(topup.refundedCents),
        disputed: formatAmount(topup.disputedCents),
        currency,
      },
    },
  };
}
