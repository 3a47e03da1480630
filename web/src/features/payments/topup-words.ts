// Words of top-ups: how they are paid and what became of them.

import { t } from '@lingui/core/macro';
import type { TestOutcome, TopupMethod, TopupStatus } from '../../../../src/shared/topup-words.ts';
import { wordOf } from '../../text/words.ts';
import type { Tone } from '../../ui/badge.tsx';

const methodWords = { card: t`Card`, bank_transfer: t`Bank transfer` } satisfies Record<TopupMethod, string>;
export const topupMethodWord = wordOf(methodWords);

const statusWords = {
  open: t`Waiting for payment`,
  processing: t`On its way`,
  paid: t`Credited`,
  partly_refunded: t`Partly refunded`,
  refunded: t`Refunded`,
  disputed: t`Disputed`,
  failed: t`Failed`,
  expired: t`Expired`,
  cancelled: t`Withdrawn`,
} satisfies Record<TopupStatus, string>;
export const topupStatusWord = wordOf(statusWords);

const tones = {
  open: 'warn',
  processing: 'accent',
  paid: 'good',
  partly_refunded: 'neutral',
  refunded: 'neutral',
  disputed: 'bad',
  failed: 'bad',
  expired: 'neutral',
  cancelled: 'neutral',
} satisfies Record<TopupStatus, Tone>;

export function topupTone(status: TopupStatus): Tone {
  return tones[status];
}

const choicesOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, title]) => ({ value, title }));

export const topupMethodChoices = [{ value: '', title: t`All methods` }, ...choicesOf(methodWords)];
export const topupStatusChoices = [{ value: '', title: t`All statuses` }, ...choicesOf(statusWords)];

export const methodNotes: Readonly<Record<TopupMethod, string>> = {
  card: t`On the payment provider’s page. Credited within seconds.`,
  bank_transfer: t`Credited when the money arrives, usually after one or two working days.`,
};

export const outcomeWords: Readonly<Record<TestOutcome, { readonly title: string; readonly note: string }>> =
  {
    pay: { title: t`It is paid`, note: t`Credited at once.` },
    fail: { title: t`It fails`, note: t`Nothing is credited.` },
    later: { title: t`It is paid later`, note: t`Credited one minute later on the test clock.` },
    dispute: {
      title: t`It is paid, then taken back`,
      note: t`Credited, and taken back at once.`,
    },
  };
