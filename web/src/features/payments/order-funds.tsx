// Adding funds while an order waits in its dialog: how much is missing, the payment, and the money's arrival.
// Invariant: the order itself is only placed by a press of its button.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { topupQuery } from '../../api/payment-queries.ts';
import { meQuery } from '../../api/queries.ts';
import type { Me, Topup } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import AddFundsDialog from './add-funds-dialog.tsx';
import { BankDetails } from './bank-details.tsx';
import { useMayAddFunds } from './funds-parts.tsx';
import { TopupState } from './topup-state.tsx';

interface OrderFunds {
  /** Shown below the refusal. */
  readonly help: ReactNode;
  readonly arrived: ReactNode;
  readonly dialog: ReactNode;
}

/** `onArrived` reads the price and the balance again. */
export function useOrderFunds(error: Error | null, onArrived: () => void): OrderFunds {
  const me = useMe();
  const { balance, currency } = me.account;
  const mayAdd = useMayAddFunds();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [missing, setMissing] = useState('');
  const [made, setMade] = useState<Topup | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const { data } = useQuery({ ...topupQuery(String(made?.id)), enabled: made !== null });
  const topup = made === null ? null : (data?.topup ?? made);
  const isShort = error instanceof ApiError && error.code === 'insufficient_credit';
  const latest = useRef(onArrived);
  latest.current = onArrived;

  const hasCome = topup !== null && topup.credited_at !== null;
  const amount = topup?.amount ?? null;
  useEffect(() => {
    if (!hasCome) return;
    setIsOpen(false);
    setMade(null);
    setAdded(amount);
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
    latest.current();
  }, [hasCome, amount, client]);
  // The operator may have added credit in the meantime.
  const shownBalance = useRef(balance);
  useEffect(() => {
    if (shownBalance.current === balance) return;
    shownBalance.current = balance;
    if (isShort) latest.current();
  }, [balance, isShort]);

  const open = () => {
    // The price is read again below the dialog, so the amount is kept.
    if (isShort) setMissing(missingIn(error, me));
    setIsOpen(true);
  };
  return {
    help: !isShort ? null : !mayAdd ? (
      <p>
        <Trans>
          The operator adds credit. <TextLink to="/ledger">View your ledger</TextLink>
        </Trans>
      </p>
    ) : (
      <>
        {topup === null ? null : (
          <p>{t`Waiting for your payment of ${formatMoney(topup.amount, currency)}. You can place the order as soon as the money has arrived.`}</p>
        )}
        <Button className="mt-1" {...(topup === null && { icon: Plus })} onClick={open}>
          {topup === null ? t`Add funds` : t`Show the payment`}
        </Button>
      </>
    ),
    arrived:
      added === null || isShort ? null : (
        <div role="status" ref={bringIntoView}>
          <Notice tone="good">
            {t`${formatMoney(added, currency)} was added to the balance. You can place the order now.`}
          </Notice>
        </div>
      ),
    dialog: !isOpen ? null : topup === null ? (
      <AddFundsDialog
        amount={missing}
        description={t`The order waits here. You can place it as soon as the money has arrived.`}
        onMade={setMade}
        onClose={() => setIsOpen(false)}
      />
    ) : (
      <PaymentDialog topup={topup} onAgain={() => setMade(null)} onClose={() => setIsOpen(false)} />
    ),
  };
}

/** On a phone the dialog's buttons would cover half of it. */
function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'center' });
}

/** What the order lacks, and what is owed, because that is paid first. */
function missingIn(error: ApiError, { receivable, topups: { minimum, maximum } }: Me): string {
  const cents = (name: string) => toCents(error.detail(name) || '0.00');
  const missing = cents('required') - cents('balance') + toCents(receivable);
  const [least, most] = [toCents(minimum), toCents(maximum)];
  return fromCents(missing < least ? least : missing > most ? most : missing);
}

interface PaymentDialogProps {
  readonly topup: Topup;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function PaymentDialog({ topup, onAgain, onClose }: PaymentDialogProps) {
  const { amount, currency, bank, status } = topup;
  const isWaiting = status === 'open' || status === 'processing';
  return (
    <Dialog
      title={t`Payment of ${formatMoney(amount, currency)}`}
      width={bank === undefined ? 'narrow' : 'wide'}
      onClose={onClose}
    >
      <DialogBody>
        <TopupState topup={topup} isConfirming={false} opensTab />
        {bank === undefined ? null : <BankDetails bank={bank} topup={topup} />}
        {isWaiting ? (
          <p className="text-soft">{t`The order waits. You can place it as soon as the money has arrived.`}</p>
        ) : null}
      </DialogBody>
      <DialogActions>
        {isWaiting ? null : <Button onClick={onAgain}>{t`Try again`}</Button>}
        <Button look="primary" onClick={onClose}>
          {t`Back to the order`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
