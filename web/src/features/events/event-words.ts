// Names of event types. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import type { EventType } from '../../../../src/features/events/event-schemas.ts';
import { wordOf } from '../../text/words.ts';

export const eventWords: Readonly<Record<string, string>> = {
  'order.completed': t`Order completed`,
  'order.failed': t`Order refused by the product`,
  'plan.activated': t`Plan started`,
  'plan.renewed': t`Plan renewed`,
  'plan.changed': t`Plan changed`,
  'plan.suspended': t`Plan suspended`,
  'plan.resumed': t`Plan resumed`,
  'plan.cancelled': t`Plan canceled`,
  'plan.ending': t`Plan ends soon`,
  'plan.expired': t`Plan ended`,
  'customer.created': t`New customer`,
  'customer.updated': t`Customer changed`,
  'customer.erased': t`Customer erased`,
  'balance.credited': t`Balance credited`,
  'balance.debited': t`Balance debited`,
  'topup.paid': t`Top-up paid`,
  'topup.failed': t`Top-up failed`,
  'topup.expired': t`Top-up expired`,
  'auto_topup.paused': t`Automatic top-up paused`,
  'auto_topup.disabled': t`Automatic top-up switched off`,
  'topup.refunded': t`Top-up refunded`,
  'topup.disputed': t`Top-up disputed`,
  'topup.reinstated': t`Top-up reinstated`,
  'balance.low': t`Balance low`,
  'renewal.failed': t`Renewal failed`,
  'price.scheduled': t`Prices scheduled`,
  'key.created': t`API key created`,
  'key.revoked': t`API key revoked`,
  'webhook.disabled': t`Endpoint disabled`,
} satisfies Record<EventType, string>;

export const eventWord = wordOf(eventWords);
