// Asks how much to add and how, then leads to the provider's page or to the page of the top-up.

import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { type TestOutcome, testOutcomes } from '../../../../src/shared/topup-words.ts';
import { createTopup } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import type { Topup } from '../../api/shapes.ts';
import { formatMoney, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { methodNotes, outcomeWords, topupMethodWord } from './topup-words.ts';

interface AddFundsDialogProps {
  readonly onClose: () => void;
  /** The proposed amount. */
  readonly amount?: string;
  /** Why funds are added, such as for an order that waits. */
  readonly description?: ReactNode;
  /** Keeps this page: the provider's page opens in a new tab. If absent, this page leads there. */
  readonly onMade?: (topup: Topup) => void;
}

export default function AddFundsDialog({ onClose, amount = '', description, onMade }: AddFundsDialogProps) {
  const { account, topups } = useMe();
  const { methods, minimum, maximum } = topups;
  const { currency } = account;
  const isTest = panelMode === 'test';
  const navigate = useNavigate();
  const [typed, typedField] = useText(amount === '' ? '' : typedAmount(amount));
  const [chosen, setMethod] = useState(methods[0]);
  const [outcome, setOutcome] = useState<TestOutcome>('pay');
  const tab = useRef<Window | null>(null);
  const method = methods.find((one) => one === chosen) ?? methods[0] ?? 'card';
  const isHosted = method === 'card' && !isTest;
  const wanted = readAmount(typed);
  const isWithin =
    wanted !== null && toCents(wanted) >= toCents(minimum) && toCents(wanted) <= toCents(maximum);
  const span = t`From ${formatMoney(minimum, currency)} to ${formatMoney(maximum, currency)}.`;

  const form = useDialogForm({
    onClose,
    isSentOnce: true,
    send: ({ key }) => createTopup({ amount: wanted ?? '', method, ...(isTest && { outcome }) }, key),
    onRefused: () => tab.current?.close(),
    onDone: ({ topup }) => {
      if (onMade !== undefined) {
        if (topup.pay_url !== undefined) tab.current?.location.replace(topup.pay_url);
        onMade(topup);
        return;
      }
      // Stay on the top-up's page below the provider's, so that Back from there shows its state.
      void navigate({ to: '/top-ups/$topupId', params: { topupId: String(topup.id) } }).then(() => {
        if (topup.pay_url !== undefined) window.location.assign(topup.pay_url);
      });
    },
  });
  const send = () => {
    // Browsers open a tab only during the click, so it opens before the address is known.
    if (onMade !== undefined && isHosted) tab.current = openBlankTab();
    form.onSend();
  };
  return (
    <FormDialog
      form={{ ...form, onSend: send }}
      title={isTest ? t`Add funds (test)` : t`Add funds`}
      description={description}
      action={isHosted ? t`Continue to payment` : isTest ? t`Add funds` : t`Show bank details`}
      ready={isWithin}
    >
      <TextField
        label={t`Amount in ${currency}`}
        kind="money"
        autoFocus
        maxLength={19}
        placeholder={typedAmount('100.00')}
        hint={span}
        problem={
          typed.trim() === '' || isWithin
            ? null
            : wanted === null
              ? t`Enter an amount, such as 100 or ${typedAmount('99.50')}.`
              : span
        }
        {...typedField}
      />
      {methods.length < 2 ? null : (
        <Choice
          label={t`Payment method`}
          labelShown
          look={isTest ? 'segments' : 'cards'}
          value={method}
          options={methods.map((value) => ({
            value,
            title: isTest ? (
              topupMethodWord(value)
            ) : (
              <TwoLines first={topupMethodWord(value)} second={methodNotes[value]} />
            ),
          }))}
          onChoose={setMethod}
        />
      )}
      {isTest ? (
        <Choice
          label={t`What happens to the payment`}
          labelShown
          look="cards"
          value={outcome}
          options={testOutcomes.map((value) => ({
            value,
            title: <TwoLines first={outcomeWords[value].title} second={outcomeWords[value].note} />,
          }))}
          onChoose={setOutcome}
        />
      ) : null}
    </FormDialog>
  );
}

function TwoLines({ first, second }: { readonly first: string; readonly second: string }) {
  return (
    <>
      <span className="block font-medium">{first}</span>
      <span className="block text-xs text-soft">{second}</span>
    </>
  );
}

/** null if the browser blocks it. The provider's page must not reach this one. */
function openBlankTab(): Window | null {
  const tab = window.open('', '_blank');
  if (tab !== null) tab.opener = null;
  return tab;
}
