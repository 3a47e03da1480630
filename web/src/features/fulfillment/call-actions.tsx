// Actions on a product call: send it again, mark it as done, or accept or fail its pending order.

import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { closeCall, sendCallAgain } from '../../api/commands.ts';
import { useMay } from '../../api/person.ts';
import type { ProductCall } from '../../api/shapes.ts';
import { Button } from '../../ui/button.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { productCallWord } from './product-words.ts';
import { SettleDialog } from './settle-dialog.tsx';

type Asked = 'send' | 'done' | 'accept' | 'fail';

export function CallActions({ call }: { readonly call: ProductCall }) {
  const may = useMay();
  const [asked, setAsked] = useState<Asked | null>(null);
  const isOpen = call.status === 'waiting' || call.status === 'attention';
  if (!isOpen) return null;
  const close = () => setAsked(null);
  const orderId = call.decides_order ? call.order_id : null;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 lg:flex-nowrap">
      {may('admin:accounts') ? (
        <Button onClick={() => setAsked('send')}>
          {call.status === 'attention' ? t`Send again` : t`Send now`}
        </Button>
      ) : null}
      {orderId === null && may('admin:accounts') ? (
        <Button onClick={() => setAsked('done')}>{t`Mark as done`}</Button>
      ) : null}
      {orderId !== null && may('admin:credit') ? (
        <>
          <Button onClick={() => setAsked('accept')}>{t`Accept`}</Button>
          <Button onClick={() => setAsked('fail')}>{t`Fail`}</Button>
        </>
      ) : null}
      {asked === 'send' || asked === 'done' ? <CallDialog call={call} asked={asked} onClose={close} /> : null}
      {orderId !== null && (asked === 'accept' || asked === 'fail') ? (
        <SettleDialog orderId={orderId} outcome={asked} onClose={close} />
      ) : null}
    </span>
  );
}

interface CallDialogProps {
  readonly call: ProductCall;
  readonly asked: 'send' | 'done';
  readonly onClose: () => void;
}

function CallDialog({ call, asked, onClose }: CallDialogProps) {
  const sends = asked === 'send';
  const customer = call.customer.reference;
  const what = productCallWord(call.type);
  const form = useDialogForm({
    onClose,
    send: () => (sends ? sendCallAgain(call.id) : closeCall(call.id)),
    says: ({ call: { status } }) =>
      status === 'superseded'
        ? t`Replaced by a later call, which is being sent now.`
        : sends
          ? t`Sending the call now.`
          : t`Call marked as done.`,
  });
  return (
    <FormDialog
      form={form}
      title={sends ? t`Send this call now?` : t`Mark as done?`}
      description={
        sends
          ? t`${what}, for ${customer}. The product is called immediately, with the same ID as before.`
          : t`${what}, for ${customer}. The call won’t be sent again: make sure the product already has this change.`
      }
      action={sends ? t`Send now` : t`Mark as done`}
    />
  );
}
