// An order that stands: what it did, and the login link that is shown once.

import type { PlacedOrder } from '../api/shapes.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { DialogActions, DialogBody } from '../components/dialog.tsx';
import { Facts } from '../components/facts.tsx';
import { Money } from '../components/money.tsx';
import { Notice } from '../components/notice.tsx';
import { SecretText } from '../components/secret-text.tsx';
import { Time } from '../components/time.tsx';
import { periodWord } from '../words.ts';

interface OrderDoneProps {
  readonly placed: PlacedOrder;
  readonly onClose: () => void;
  readonly onAnother: (() => void) | undefined;
}

export function OrderDone({
  placed: { order, balance, login_url: loginUrl },
  onClose,
  onAnother,
}: OrderDoneProps) {
  return (
    <>
      <DialogBody>
        <Notice tone="good">
          <bdi>{order.customer.reference}</bdi> has <bdi>{order.package.name}</bdi> until{' '}
          <Time at={order.expires_at} style="day" />.
        </Notice>
        <Facts
          facts={[
            { name: 'Order', value: order.id },
            { name: 'Period', value: periodWord(order.months) },
            { name: 'Price', value: <Money amount={order.price} currency={order.currency} /> },
            ...(order.refund === '0.00'
              ? []
              : [
                  { name: 'Refund', value: <Money amount={order.refund} currency={order.currency} signed /> },
                ]),
            {
              name: 'Balance now',
              value: <Money amount={balance} currency={order.currency} className="font-semibold" />,
            },
          ]}
        />
        {loginUrl === undefined ? null : (
          <>
            <SecretText label="Login link" text={loginUrl} />
            <p className="text-soft">
              Shown once. Send it to the customer: it works one time, for a short while.
            </p>
          </>
        )}
      </DialogBody>
      <DialogActions>
        {onAnother === undefined ? null : <Button onClick={onAnother}>Place another</Button>}
        <ButtonLink to="/orders/$orderId" params={{ orderId: String(order.id) }} onClick={onClose}>
          View order
        </ButtonLink>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}
