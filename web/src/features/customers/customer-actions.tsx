import { t } from '@lingui/core/macro';
import { Ban, CalendarSync, Download, Eraser, Pause, Pencil, Play } from 'lucide-react';
import type { useMay } from '../../api/person.ts';
import { runs } from '../../api/plan-runs.ts';
import type { CustomerWithOrders } from '../../api/shapes.ts';
import type { Action } from '../../ui/actions.tsx';
import { download } from '../../ui/download-button.tsx';
import {
  AutoRenewDialog,
  CancelDialog,
  EditCustomerDialog,
  ResumeDialog,
  SuspendDialog,
} from '../plans/plan-dialogs.tsx';
import { EraseDialog, isErased } from './erase-dialog.tsx';

/** What can be done with a customer and their plan, the less common actions last. */
export function customerActions(
  { customer, suspended, order_pending: isPending, last_order_id: lastOrderId }: CustomerWithOrders,
  may: ReturnType<typeof useMay>,
): readonly Action[] {
  const exported: Action = {
    id: 'export',
    title: t`Export data`,
    icon: Download,
    run: () => download(`/v1/customers/${customer.id}/export`, {}, `customer-${customer.id}.json`),
  };
  if (isErased(customer)) return [exported];
  const { plan } = customer;
  const [mayOrder, mayChange] = [may('orders:write'), may('customers:write')];
  const isChangeable = mayOrder && runs(plan) && !isPending;
  const endsAtPeriodEnd = plan.ends_at_period_end && runs(plan);
  return [
    {
      id: 'auto-renew',
      title: t`Auto-renew`,
      icon: CalendarSync,
      // Only a plan with an order can renew; a free trial has none.
      isOffered: isChangeable && lastOrderId !== null,
      dialog: (onClose) => <AutoRenewDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'suspend',
      title: t`Suspend`,
      icon: Pause,
      isOffered: mayChange && !suspended,
      dialog: (onClose) => <SuspendDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'resume',
      title: suspended ? t`Resume` : t`Undo cancellation`,
      icon: Play,
      isOffered: mayChange && (suspended || endsAtPeriodEnd),
      dialog: (onClose) => <ResumeDialog customer={customer} isHeld={suspended} onClose={onClose} />,
    },
    {
      id: 'edit',
      title: t`Edit`,
      icon: Pencil,
      isOffered: mayChange,
      dialog: (onClose) => <EditCustomerDialog customer={customer} onClose={onClose} />,
    },
    exported,
    {
      id: 'cancel',
      title: t`Cancel plan`,
      icon: Ban,
      look: 'danger',
      isOffered: isChangeable,
      dialog: (onClose) => <CancelDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'erase',
      title: t`Erase`,
      icon: Eraser,
      look: 'danger',
      isOffered: mayChange && !runs(plan) && !isPending,
      dialog: (onClose) => <EraseDialog customer={customer} onClose={onClose} />,
    },
  ];
}
