// Mails about payments: what was credited, what failed, what went back, and automatic top-ups that need a person.

import type { MailPart } from '../../platform/mail/mail-content.ts';
import type { MailToQueue } from '../../platform/mail/mail-outbox.ts';
import { formatAmount } from '../../shared/amounts.ts';
import type { EventData } from '../events/event-schemas.ts';

export const paymentEventTypes = [
  ...(['topup.paid', 'topup.failed', 'topup.refunded', 'topup.disputed'] as const),
  ...(['auto_topup.paused', 'auto_topup.disabled'] as const),
];
type PaymentEventType = (typeof paymentEventTypes)[number];

const labels = {
  'topup.paid': 'mail_topup_label',
  'topup.failed': 'mail_topup_again_label',
  'topup.refunded': 'mail_topup_label',
  'topup.disputed': 'mail_topup_label',
  'auto_topup.paused': 'mail_auto_topup_paused_label',
  'auto_topup.disabled': 'mail_auto_topup_disabled_label',
} as const;

const subjects = {
  'topup.paid': 'mail_topup_paid_subject',
  'topup.failed': 'mail_topup_failed_subject',
  'topup.refunded': 'mail_topup_refunded_subject',
  'topup.disputed': 'mail_topup_disputed_subject',
  'auto_topup.paused': 'mail_auto_topup_paused_subject',
  'auto_topup.disabled': 'mail_auto_topup_disabled_subject',
} as const;

const texts = {
  'topup.paid': null,
  'topup.failed': 'mail_topup_failed_text',
  'topup.refunded': null,
  'topup.disputed': 'mail_topup_disputed_text',
  'auto_topup.paused': 'mail_auto_topup_paused_text',
  'auto_topup.disabled': 'mail_auto_topup_disabled_text',
} as const;

export interface PaymentMail {
  readonly type: PaymentEventType;
  readonly data: EventData<PaymentEventType>;
  /** Of the account, when the mail is written. */
  readonly balanceCents: bigint;
  readonly receivableCents: bigint;
  readonly publicUrl: string;
}

export function paymentMail({
  type,
  data: { topup },
  balanceCents,
  receivableCents,
  publicUrl,
}: PaymentMail): MailToQueue['content'] {
  return ({ t, money }) => {
    const { currency, amount, refunded, disputed } = topup;
    const gone = type === 'topup.refunded' ? refunded : disputed;
    const isBack = type === 'topup.refunded' || type === 'topup.disputed';
    // The list also has the settings of automatic top-ups.
    const list = `${publicUrl}/panel/top-ups`;
    const shown = money(isBack ? gone : amount, currency);
    const text = texts[type];
    const parts: MailPart[] = [
      ...(text === null ? [] : [{ type: 'text', text: t(text) } as const]),
      ...(isBack && receivableCents > 0n ? [{ type: 'text', text: t('mail_receivable_text') } as const] : []),
      {
        type: 'facts',
        facts: [
          [t('mail_topup'), String(topup.id)],
          [t('mail_balance'), money(formatAmount(balanceCents), currency)],
          ...(receivableCents > 0n
            ? [[t('mail_receivable'), money(formatAmount(receivableCents), currency)] as const]
            : []),
        ],
      },
      {
        type: 'link',
        label: t(labels[type]),
        url: type === 'auto_topup.disabled' ? list : `${list}/${topup.id}`,
      },
    ];
    return { subject: t(subjects[type], { amount: shown }), parts };
  };
}
