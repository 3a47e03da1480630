// Shows the result of an order and its login link, which is shown only once.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { PlacedOrder } from '../../api/shapes.ts';
import { periodWord } from '../../text/words.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RuledPrice } from '../../ui/ruled-price.tsx';
import { SecretText } from '../../ui/secret-text.tsx';
import { Time } from '../../ui/time.tsx';

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
        {order.status === 'completed' ? (
          <Notice tone="good">
            <Trans>
              <bdi>{order.customer.reference}</bdi> has <bdi>{order.package.name}</bdi> until{' '}
              <Time at={order.expires_at} style="day" />.
            </Trans>
          </Notice>
        ) : (
          <Notice tone="warn">
            <p className="font-medium">{t`Pending: waiting for the operator’s product.`}</p>
            <p>
              <Trans>
                <bdi>{order.customer.reference}</bdi> gets <bdi>{order.package.name}</bdi> once the product
                confirms it. If it refuses, the charge is refunded.
              </Trans>
            </p>
          </Notice>
        )}
        <Facts
          facts={[
            { name: t`Order`, value: order.id },
            { name: t`Period`, value: periodWord(order.months) },
            { name: t`Price`, value: <RuledPrice of={order} /> },
            ...(order.refund === '0.00'
              ? []
              : [
                  {
                    name: t`Refund`,
                    value: <Money amount={order.refund} currency={order.currency} signed />,
                  },
                ]),
            {
              name: t`Balance now`,
              value: <Money amount={balance} currency={order.currency} className="font-semibold" />,
            },
          ]}
        />
        {loginUrl === undefined ? null : (
          <>
            <SecretText label={t`Login link`} text={loginUrl} />
            <p className="text-soft">
              {t`Send it to the customer now. It won’t be shown again, and it works once, for a short time.`}
            </p>
          </>
        )}
      </DialogBody>
      <DialogActions>
        {onAnother === undefined ? null : <Button onClick={onAnother}>{t`Place another order`}</Button>}
        <ButtonLink to="/orders/$orderId" params={{ orderId: String(order.id) }} onClick={onClose}>
          {t`View order`}
        </ButtonLink>
        <Button look="primary" onClick={onClose}>
          {t`Done`}
        </Button>
      </DialogActions>
    </>
  );
}
