// Reads an event's subject defensively, because the service may send types that these pages do not know.

import type { AccountEvent } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';

interface EventSubject {
  /** A reference, an amount or a name. Empty if there is none. */
  readonly text: string;
  readonly customer: { readonly id: number; readonly reference: string; readonly name: string } | null;
  readonly orderId: number | null;
  readonly webhookId: number | null;
  readonly packageName: string | null;
}

export function eventSubject({ data }: AccountEvent): EventSubject {
  const order = objectAt(data, 'order');
  const customer = customerAt(order) ?? customerAt(data);
  const orderId = numberAt(order, 'id') ?? numberAt(data, 'order_id');
  const currency = textAt(data, 'currency');
  const amount = textAt(data, 'amount') ?? textAt(data, 'balance');
  const text =
    customer?.reference ??
    textAt(objectAt(data, 'package'), 'name') ??
    textAt(objectAt(data, 'webhook'), 'url') ??
    keyName(objectAt(data, 'key')) ??
    (amount !== null && currency !== null ? formatMoney(amount, currency) : '');
  return {
    text,
    customer,
    orderId,
    webhookId: numberAt(objectAt(data, 'webhook'), 'id'),
    packageName: packageNameAt(order) ?? packageNameAt(data),
  };
}

function customerAt(of: unknown): EventSubject['customer'] {
  const customer = objectAt(of, 'customer');
  const id = numberAt(customer, 'id');
  const reference = textAt(customer, 'reference');
  if (id === null || reference === null) return null;
  return { id, reference, name: textAt(customer, 'name') || reference };
}

/** Events name the package of an order or of the customer's plan, as a text or an object. */
function packageNameAt(of: unknown): string | null {
  const plan = objectAt(objectAt(of, 'customer'), 'plan');
  return textAt(objectAt(of, 'package'), 'name') ?? textAt(of, 'package') ?? textAt(plan, 'package');
}

function keyName(key: unknown): string | null {
  const lastFour = textAt(key, 'last_four');
  return textAt(key, 'name') ?? (lastFour === null ? null : `…${lastFour}`);
}

function objectAt(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null && name in of ? Reflect.get(of, name) : undefined;
}

function textAt(of: unknown, name: string): string | null {
  const value = objectAt(of, name);
  return typeof value === 'string' ? value : null;
}

function numberAt(of: unknown, name: string): number | null {
  const value = objectAt(of, name);
  return typeof value === 'number' ? value : null;
}
