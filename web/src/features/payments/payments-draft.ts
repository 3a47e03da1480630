// What is typed into the form of the payment settings, and the change that it makes.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { PaymentsChange } from '../../api/commands.ts';
import type { Payments } from '../../api/shapes.ts';
import { readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { inFours } from '../../text/in-fours.ts';
import { useText } from '../../ui/use-text.ts';

export function usePaymentsDraft(payments: Payments) {
  const card = useCardDraft(payments.methods.card);
  const bank = useBankDraft(payments.methods.bank_transfer);
  const limits = useLimitsDraft(payments);
  const change: PaymentsChange = {
    methods: {
      ...(card.change !== null && { card: card.change }),
      ...(bank.change !== null && { bank_transfer: bank.change }),
    },
    ...limits.change,
  };
  const parts = [card, bank, limits];
  return {
    ...{ card, bank, limits, change },
    isDirty: parts.some(({ isDirty }) => isDirty),
    isReady: parts.every(({ isReady }) => isReady),
  };
}

export type PaymentsDraft = ReturnType<typeof usePaymentsDraft>;

function useCardDraft(saved: Payments['methods']['card']) {
  const [isOn, setIsOn] = useState(saved?.enabled ?? false);
  const [keyTyped, keyField] = useText();
  const [webhookTyped, webhookField] = useText();
  const [key, webhook] = [keyTyped.trim(), webhookTyped.trim()];
  const isThere = saved !== undefined || key !== '' || webhook !== '' || isOn;
  const keyProblem =
    key === '' || /^[sr]k_(test|live)_[0-9A-Za-z_]+$/.test(key)
      ? null
      : t`Enter a key that starts with sk_live_, rk_live_, sk_test_ or rk_test_.`;
  const webhookProblem =
    webhook === '' || /^whsec_[0-9A-Za-z+/=_-]+$/.test(webhook)
      ? null
      : t`Enter a secret that starts with whsec_.`;
  return {
    ...{ saved, isOn, setIsOn },
    keyField: { ...keyField, problem: keyProblem },
    webhookField: { ...webhookField, problem: webhookProblem },
    change: isThere
      ? {
          provider: 'stripe' as const,
          enabled: isOn,
          ...(key !== '' && { secret_key: key }),
          ...(webhook !== '' && { webhook_secret: webhook }),
        }
      : null,
    isDirty: isOn !== (saved?.enabled ?? false) || key !== '' || webhook !== '',
    isReady:
      keyProblem === null &&
      webhookProblem === null &&
      (!isThere || saved !== undefined || (key !== '' && webhook !== '')),
  };
}

function useBankDraft(saved: Payments['methods']['bank_transfer']) {
  const [isOn, setIsOn] = useState(saved?.enabled ?? false);
  const [holderTyped, holderField] = useText(saved?.holder ?? '');
  const [ibanTyped, ibanField] = useText(inFours(saved?.iban ?? ''));
  const [bicTyped, bicField] = useText(saved?.bic ?? '');
  const holder = holderTyped.trim();
  const [iban, bic] = [ibanTyped, bicTyped].map((text) => text.replaceAll(/\s/g, '').toUpperCase());
  const isThere = holder !== '' || iban !== '' || bic !== '' || isOn;
  return {
    ...{ isOn, setIsOn, holderField, ibanField, bicField },
    change: isThere ? { enabled: isOn, holder, iban: iban ?? '', ...(bic && { bic }) } : null,
    isDirty:
      isOn !== (saved?.enabled ?? false) ||
      holder !== (saved?.holder ?? '') ||
      iban !== (saved?.iban ?? '') ||
      bic !== (saved?.bic ?? ''),
    isReady: !isThere || (holder !== '' && iban !== ''),
  };
}

function useLimitsDraft({ minimum: least, maximum: most, daily_maximum: dailyMost }: Payments) {
  const [minimumTyped, minimumField] = useText(typedAmount(least));
  const [maximumTyped, maximumField] = useText(typedAmount(most));
  const [dailyTyped, dailyField] = useText(dailyMost === null ? '' : typedAmount(dailyMost));
  const [minimum, maximum, daily] = [minimumTyped, maximumTyped, dailyTyped].map(readAmount);
  const problems = {
    minimum: amountProblem(minimum, null, t`Must be more than zero.`),
    maximum: amountProblem(maximum, minimum, t`Must be at least the smallest.`),
    daily: dailyTyped.trim() === '' ? null : amountProblem(daily, maximum, t`Must be at least the largest.`),
  };
  return {
    minimumField: { ...minimumField, problem: problems.minimum },
    maximumField: { ...maximumField, problem: problems.maximum },
    dailyField: { ...dailyField, problem: problems.daily },
    change: { minimum: minimum ?? '', maximum: maximum ?? '', daily_maximum: daily ?? null },
    isDirty: minimum !== least || maximum !== most || (daily ?? null) !== dailyMost,
    isReady: Object.values(problems).every((problem) => problem === null),
  };
}

/** `above`: the amount that it must not be below; null: zero, which it must exceed. */
function amountProblem(
  amount: string | null | undefined,
  above: string | null | undefined,
  tooSmall: string,
): string | null {
  if (amount == null) return t`Enter an amount, such as 100 or ${typedAmount('99.50')}.`;
  const isTooSmall = above == null ? toCents(amount) === 0n : toCents(amount) < toCents(above);
  return isTooSmall ? tooSmall : null;
}
