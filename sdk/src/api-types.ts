// Made from openapi.json by "npm run generate": do not edit. The shapes of requests and answers, field for field.
// Amounts are decimal strings in the currency of the service, times are ISO 8601 in UTC with whole seconds.

export interface Balance {
  /** The remaining credit. At most 20 characters. */
  balance: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** The price group of the account. */
  group: 'reseller' | 'distributor';
}

export interface Package {
  /** What POST /orders takes as package_id. */
  id: number;
  /** The name shown to people. At most 500 characters. */
  name: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** The monthly price for the caller's group. At most 20 characters. */
  price: string;
  /** Monthly, quarterly, yearly. */
  prices: {
    /** The length of the period in months. */
    months: 1 | 3 | 12;
    /** The same period by name: 1, 3 and 12 months. */
    period: 'monthly' | 'quarterly' | 'yearly';
    /** The price for the whole period. At most 20 characters. */
    price: string;
    /** Discount relative to the monthly price, rounded down. 0 to 100. */
    saving_percent: number;
  }[];
  /** The nominal length of a month, as shown to people; for a trial, its real length. 1 to 3650. */
  duration_days: number;
  limits: {
    /** Accounts that the customer may connect. 0 to 2147483647. */
    accounts: number;
    /** Posts each day. 0 to 2147483647. */
    posts_per_day: number;
    /** Images made by AI each month. 0 to 2147483647. */
    ai_images_per_month: number;
  };
  /** Short display strings. */
  features: string[];
  /** Prices for the caller’s group that begin later, soonest first: all three, as they will be from that second on. An order pays the prices of its own second. */
  upcoming: {
    /** The first second that they hold in. At most 20 characters. */
    from: string;
    /** Monthly, quarterly, yearly. */
    prices: {
      /** The length of the period in months. */
      months: 1 | 3 | 12;
      /** The same period by name: 1, 3 and 12 months. */
      period: 'monthly' | 'quarterly' | 'yearly';
      /** The price for the whole period. At most 20 characters. */
      price: string;
      /** Discount relative to the monthly price, rounded down. 0 to 100. */
      saving_percent: number;
    }[];
  }[];
}

export interface Order {
  /** Unique in the service. */
  id: number;
  /** activate: the customer had no running plan. renew: the running plan was extended, or an order was renewed. change: another running plan was replaced. Tolerate new values. At most 64 characters. */
  kind: string;
  /** completed; pending: it waits for the operator’s product; failed: the product did not take it, and what was charged was given back. Tolerate new values. At most 64 characters. */
  status: string;
  package: {
    /** The package. */
    id: number;
    /** The name shown to people. At most 500 characters. */
    name: string;
  };
  /** The length of the period in months. */
  months: 1 | 3 | 12;
  /** The same period by name: 1, 3 and 12 months. */
  period: 'monthly' | 'quarterly' | 'yearly';
  customer: {
    /** The customer. */
    id: number;
    /** The e-mail address or username the order was for, normalised. At most 254 characters. */
    reference: string;
    /** The reference if it is an e-mail address, else empty. At most 254 characters. */
    email: string;
  };
  /** The full price that was charged. At most 20 characters. */
  price: string;
  /** What was given back for the unused time of a plan that this order replaced. At most 20 characters. */
  refund: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** When the plan ends after this order. At most 20 characters. */
  expires_at: string;
  /** When the order was placed. At most 20 characters. */
  created_at: string;
  /** The key that was sent, or the one that was minted. At most 80 characters. */
  idempotency_key: string;
  /** Present only if the order has failed. */
  failure?: {
    /** null: no reason was given. */
    reason: string | null;
    /** When it failed. At most 20 characters. */
    at: string;
    /** What was given back because it failed, net. At most 20 characters. */
    refunded: string;
  } | undefined;
}

export interface OrderPreview {
  /** activate, renew or change, as of an order. Tolerate new values. At most 64 characters. */
  kind: string;
  package: {
    /** The package. */
    id: number;
    /** The name shown to people. At most 500 characters. */
    name: string;
  };
  /** The length of the period in months. */
  months: 1 | 3 | 12;
  /** The same period by name: 1, 3 and 12 months. */
  period: 'monthly' | 'quarterly' | 'yearly';
  /** The full price. At most 20 characters. */
  price: string;
  /** What would be given back for the unused time of the plan that is replaced. At most 20 characters. */
  refund: string;
  /** price − refund: what would be taken from the balance. Negative: given back. At most 21 characters. */
  charge: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** The balance before the order. At most 20 characters. */
  balance: string;
  /** The balance after it. At most 20 characters. */
  balance_after: string;
  /** When the plan began, or would begin: as starts_at of the customer’s plan. At most 20 characters. */
  starts_at: string;
  /** When the plan would end. At most 20 characters. */
  expires_at: string;
}

export interface OrderToPlace {
  /** An id from GET /packages. 1 to 2147483647. */
  package_id: number;
  /** An e-mail address, or a username of letters, digits, dot, underscore, hyphen. At most 254 characters. */
  customer: string;
  /** The length of the period in months; 1 if neither months nor period is sent. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** Display name for a new customer. At most 120 characters. */
  customer_name?: string | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** true: the answer carries login_url. Otherwise it has none. */
  return_login?: boolean | undefined;
  /** Visible ASCII characters. Sent again with its key, an order is never charged twice. 1 to 80 characters. */
  idempotency_key: string;
}

export interface OrderToRenew {
  /** The order to renew. */
  renew: number;
  /** If neither months nor period is sent: the months of the renewed order. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** Visible ASCII characters. Sent again with its key, an order is never charged twice. 1 to 80 characters. */
  idempotency_key: string;
}

export interface CustomerToRenew {
  /** The customer whose present plan is renewed, by its last order: id or reference. */
  renew_customer: number | string;
  /** If neither months nor period is sent: the months of the last order. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** Visible ASCII characters. Sent again with its key, an order is never charged twice. 1 to 80 characters. */
  idempotency_key: string;
}

export interface PlacedInBulk {
  /** As of the single request: 201. 200 to 299. */
  status: number;
  order: Order;
  /** The balance right after this order. At most 20 characters. */
  balance: string;
  /** true: this order stood already, and nothing was charged now. */
  replayed: boolean;
  /** Single-use login link for the customer; present when return_login was true. At most 2048 characters. */
  login_url?: string | undefined;
}

export interface RefusedInBulk {
  /** What the single request would be answered with: 402, say. 5xx: send it again with the same key. 400 to 599. */
  status: number;
  error: {
    /** Stable and machine-readable. At most 64 characters. */
    code: string;
    /** For people. At most 500 characters. */
    message: string;
    /** More about this error; may be empty. */
    details: Record<string, string | number>;
  };
}

export interface Customer {
  /** Unique in the service. */
  id: number;
  /** The display name; the reference if none was given. At most 254 characters. */
  name: string;
  /** The e-mail address or username that orders name the customer by, normalised. At most 254 characters. */
  reference: string;
  /** The reference if it is an e-mail address, else empty. At most 254 characters. */
  email: string;
  /** active or suspended. Tolerate new values. At most 64 characters. */
  status: string;
  plan: {
    /** The package's name. At most 500 characters. */
    package: string;
    /** The package. */
    package_id: number;
    /** null: there is none, as of a free trial. */
    last_order_id: number | null;
    /** active, suspended (by you or by the operator), cancelled (ended before its time) or expired. Tolerate new values. At most 64 characters. */
    status: string;
    /** The plan is running, and you have not suspended it. It stays true while the operator has suspended the customer: status says so then. */
    active: boolean;
    /** When the unbroken run on this package began. At most 20 characters. */
    starts_at: string;
    /** When the plan ends. At most 20 characters. */
    expires_at: string;
    /** Rounded up; 0 once it has ended. */
    days_left: number;
    /** It was cancelled at the period’s end: it does not renew itself. */
    ends_at_period_end: boolean;
    /** How the plan renews itself; null: it does not. */
    auto_renew: {
      /** The length of the period in months. */
      months: 1 | 3 | 12;
      /** The same period by name: 1, 3 and 12 months. */
      period: 'monthly' | 'quarterly' | 'yearly';
      /** The most that a renewal may be charged; null: whatever the price is. */
      max_charge: string | null;
      /** How many hours before its end the plan is renewed. 1 to 720. */
      hours_before: number;
      /** null: not before the plan’s end moves. */
      next_at: string | null;
      /** Why the last try for this end was refused. */
      failure: string | null;
    } | null;
  };
  /** Your own id of the customer; absent where none was set. At most 80 characters. */
  external_ref?: string | undefined;
  /** When the customer was created. At most 20 characters. */
  created_at: string;
}

export interface Statement {
  /** The UTC month. At most 7 characters. */
  month: string;
  /** Whether the month is over. */
  final: boolean;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** The balance before the month. At most 20 characters. */
  opening: string;
  /** Put in. At most 20 characters. */
  credits: string;
  /** Taken out by an administrator. At most 20 characters. */
  debits: string;
  /** For orders. At most 20 characters. */
  charges: string;
  /** Given back by orders. At most 20 characters. */
  refunds: string;
  /** opening + credits − debits − charges + refunds. At most 20 characters. */
  closing: string;
  /** Ledger entries of the month. */
  entry_count: number;
}

export interface Forecast {
  /** Days on which a plan ends, soonest first. */
  days: {
    /** The UTC day. At most 10 characters. */
    date: string;
    /** Plans that end on it. */
    plans: number;
    /** What renewing them costs. At most 20 characters. */
    cost: string;
  }[];
  /** Plans of all days. */
  plans: number;
  /** The costs of all days. At most 20 characters. */
  total: string;
  /** The remaining credit. At most 20 characters. */
  balance: string;
  /** null: the balance covers them all. */
  runs_out_on: string | null;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
}

export interface Alerts {
  /** null: it is not. */
  balance_below: string | null;
  /** null: 7 days and 1 day before alone, and by no mail. */
  plans_ending_days: number | null;
  /** Who is written to, where the operator sends mail. */
  emails: string[];
}

export interface Entitlement {
  /** The e-mail address or username that orders name the customer by. At most 254 characters. */
  reference: string;
  /** The customer. */
  customer_id: number;
  /** Whether the customer may use the product now: the plan runs, and no hold stands. */
  active: boolean;
  /** active, suspended, cancelled or expired. Tolerate new values. At most 64 characters. */
  status: string;
  package: {
    /** The package. */
    id: number;
    /** The name shown to people. At most 500 characters. */
    name: string;
  };
  limits: {
    /** Accounts that the customer may connect. 0 to 2147483647. */
    accounts: number;
    /** Posts each day. 0 to 2147483647. */
    posts_per_day: number;
    /** Images made by AI each month. 0 to 2147483647. */
    ai_images_per_month: number;
  };
  /** Short display strings. */
  features: string[];
  /** When the unbroken run on this package began. At most 20 characters. */
  starts_at: string;
  /** When the plan ends: from then on it is not active, whether you are told or not. At most 20 characters. */
  expires_at: string;
  account: {
    /** Whose customer it is. */
    id: number;
    /** The account’s name. At most 500 characters. */
    name: string;
  };
}

export interface AccountEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened: one of the webhooks of this document. Tolerate new values. At most 64 characters. */
  type: string;
  /** As the webhook of this type has it. */
  data: Record<string, unknown>;
}

export interface OrderCompletedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'order.completed';
  data: {
    order: Order;
    /** The balance right after it. At most 20 characters. */
    balance: string;
  };
}

export interface OrderFailedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'order.failed';
  data: {
    order: Order;
    /** null: nothing was said. */
    reason: string | null;
    /** The balance right after it. At most 20 characters. */
    balance: string;
  };
}

export interface PlanActivatedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.activated';
  data: {
    customer: Customer;
    /** null: a free trial. */
    order_id: number | null;
  };
}

export interface PlanRenewedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.renewed';
  data: {
    customer: Customer;
    /** null: a free trial. */
    order_id: number | null;
  };
}

export interface PlanChangedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.changed';
  data: {
    customer: Customer;
    /** null: a free trial. */
    order_id: number | null;
    /** account or operator: who did it. Tolerate new values. At most 64 characters. */
    by: string;
  };
}

export interface PlanSuspendedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.suspended';
  data: {
    customer: Customer;
    /** account or operator: who did it. Tolerate new values. At most 64 characters. */
    by: string;
    /** null: nothing. */
    reason: string | null;
  };
}

export interface PlanResumedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.resumed';
  data: {
    customer: Customer;
    /** account or operator: who did it. Tolerate new values. At most 64 characters. */
    by: string;
  };
}

export interface PlanCancelledEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.cancelled';
  data: {
    customer: Customer;
    /** What was given back for the unused time. At most 20 characters. */
    refund: string;
    /** The balance right after it. At most 20 characters. */
    balance: string;
    /** account or operator: who did it. Tolerate new values. At most 64 characters. */
    by: string;
  };
}

export interface PlanEndingEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.ending';
  data: {
    customer: Customer;
    /** How many days before the end this notice is given. */
    days: number;
  };
}

export interface PlanExpiredEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'plan.expired';
  data: {
    customer: Customer;
  };
}

export interface CustomerCreatedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'customer.created';
  data: {
    customer: Customer;
  };
}

export interface CustomerUpdatedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'customer.updated';
  data: {
    customer: Customer;
  };
}

export interface BalanceCreditedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'balance.credited';
  data: {
    /** The ledger entry. */
    entry_id: number;
    /** By how much the balance moved. At most 21 characters. */
    amount: string;
    /** null: nothing was noted. */
    memo: string | null;
    /** The balance right after it. At most 20 characters. */
    balance: string;
    /** ISO 4217 code. At most 3 characters. */
    currency: string;
  };
}

export interface BalanceDebitedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'balance.debited';
  data: {
    /** The ledger entry. */
    entry_id: number;
    /** By how much the balance moved. At most 21 characters. */
    amount: string;
    /** null: nothing was noted. */
    memo: string | null;
    /** The balance right after it. At most 20 characters. */
    balance: string;
    /** ISO 4217 code. At most 3 characters. */
    currency: string;
  };
}

export interface BalanceLowEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'balance.low';
  data: {
    /** The balance. At most 20 characters. */
    balance: string;
    /** What the alerts name. At most 20 characters. */
    balance_below: string;
    /** ISO 4217 code. At most 3 characters. */
    currency: string;
  };
}

export interface RenewalFailedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'renewal.failed';
  data: {
    customer: Customer;
    /** The error code of the refusal. At most 64 characters. */
    code: string;
  };
}

export interface PriceScheduledEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'price.scheduled';
  data: {
    package: {
      /** The package. */
      id: number;
      /** The name shown to people. At most 500 characters. */
      name: string;
    };
    /** The first second that they hold in. At most 20 characters. */
    from: string;
    /** Those of your group that will change. */
    prices: {
      /** The length of the period in months. */
      months: 1 | 3 | 12;
      /** The same period by name: 1, 3 and 12 months. */
      period: 'monthly' | 'quarterly' | 'yearly';
      /** The price for the whole period. At most 20 characters. */
      price: string;
    }[];
    /** ISO 4217 code. At most 3 characters. */
    currency: string;
  };
}

export interface KeyCreatedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'key.created';
  data: {
    key: {
      /** The key; absent in events from before there were several. */
      id?: number | undefined;
      /** Its name; absent there too. At most 80 characters. */
      name?: string | undefined;
      /** The last four characters of the key. At most 4 characters. */
      last_four: string;
    };
  };
}

export interface KeyRevokedEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'key.revoked';
  data: {
    key: {
      /** The key; absent in events from before there were several. */
      id?: number | undefined;
      /** Its name; absent there too. At most 80 characters. */
      name?: string | undefined;
      /** The last four characters of the key. At most 4 characters. */
      last_four: string;
      /** Until when it still works, because another secret took its place; absent: it works no more. At most 20 characters. */
      ends_at?: string | undefined;
    };
  };
}

export interface WebhookDisabledEvent {
  /** Unique in the service; those of an account ascend. */
  id: number;
  /** When what it tells took place. At most 20 characters. */
  created_at: string;
  /** The account that it is about. */
  account_id: number;
  /** What happened. */
  type: 'webhook.disabled';
  data: {
    webhook: {
      /** The endpoint. */
      id: number;
      /** Where it was called. At most 2048 characters. */
      url: string;
    };
    /** gone or failing. Tolerate new values. At most 64 characters. */
    reason: string;
  };
}

export interface ErrorEnvelope {
  error: {
    /** Stable and machine-readable. At most 64 characters. */
    code: string;
    /** For people. At most 500 characters. */
    message: string;
    /** More about this error; may be empty. */
    details: Record<string, string | number>;
  };
}

export interface PlanHistoryItem {
  /** activated, renewed, changed: an order. trial_started, suspended, resumed, cancelled, cancelled_at_period_end, auto_renew_set, auto_renew_removed, renewal_failed. order_placed: an order that the operator’s product had to take first; order_completed, order_failed: what became of it. Tolerate new values. At most 64 characters. */
  type: string;
  /** When it happened. At most 20 characters. */
  at: string;
  /** account: you. operator: an administrator. service: a plan that renews itself. product: the operator’s product. At most 64 characters. */
  by: string;
  /** The plan right before; null: there was none. */
  from: {
    /** As the status of a plan. At most 64 characters. */
    status: string;
    /** The package's name. At most 500 characters. */
    package: string;
    /** When the plan ends. At most 20 characters. */
    expires_at: string;
  } | null;
  to: {
    /** As the status of a plan. At most 64 characters. */
    status: string;
    /** The package's name. At most 500 characters. */
    package: string;
    /** When the plan ends. At most 20 characters. */
    expires_at: string;
  };
  order?: Order | undefined;
  /** What was given back. At most 20 characters. */
  refund?: string | undefined;
  /** Of a suspension, or of an order that failed: why. At most 200 characters. */
  reason?: string | undefined;
  /** Of a renewal that failed: the error code. At most 64 characters. */
  code?: string | undefined;
  /** How the plan is to renew itself. */
  auto_renew?: {
    /** The length of the period in months. */
    months: 1 | 3 | 12;
    /** The same period by name: 1, 3 and 12 months. */
    period: 'monthly' | 'quarterly' | 'yearly';
    /** The most that a renewal may be charged; null: whatever the price is. */
    max_charge: string | null;
    /** How many hours before its end the plan is renewed. 1 to 720. */
    hours_before: number;
  } | undefined;
}

export interface TestClock {
  /** What time it is in the test. It stands still until it is moved. At most 20 characters. */
  now: string;
}

export interface Webhook {
  /** The endpoint. */
  id: number;
  /** Where events are sent. At most 2048 characters. */
  url: string;
  /** Empty: all. */
  types: string[];
  /** null: none. */
  description: string | null;
  /** Whether events are sent. */
  enabled: boolean;
  /** When it was made. At most 20 characters. */
  created_at: string;
  /** null: the last one succeeded, or there was none. */
  failing_since: string | null;
  /** null: it did not. */
  disabled_at: string | null;
  /** null: it was not switched off by the service. */
  disabled_reason: string | null;
  /** null: it does not. */
  previous_secret_until: string | null;
}

export interface Delivery {
  /** The event. */
  event_id: number;
  /** Its type. Tolerate new values. At most 64 characters. */
  event_type: string;
  /** Which attempt of its schedule this was. */
  attempt: number;
  /** When it was made. At most 20 characters. */
  at: string;
  /** delivered, failed (it is tried again), given_up (this was the last attempt). Tolerate new values. At most 64 characters. */
  status: string;
  /** null: there was no answer. */
  http_status: number | null;
  /** null: there was one. */
  reason: string | null;
  /** How long it took. */
  milliseconds: number;
  /** The first KiB of the answer’s body. At most 1024 characters. */
  answer: string;
}

export interface Account {
  /** The account. */
  id: number;
  /** What the account signs in with. At most 64 characters. */
  username: string;
  /** The name shown to people. At most 500 characters. */
  display_name: string;
  /** Where its people are written to; absent if nowhere. At most 254 characters. */
  email?: string | undefined;
  /** The price group of the account. */
  group: 'reseller' | 'distributor';
  is_admin: boolean;
  /** The remaining credit. At most 20 characters. */
  balance: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  blocked: boolean;
  api_enabled: boolean;
  /** Requests allowed in any 60 seconds. 1 to 1000000. */
  rate_limit_per_minute: number;
  /** Addresses and CIDR ranges; empty allows all. */
  allowed_ips: string[];
  /** Whether signing in to the panel also takes a code. */
  totp_enabled: boolean;
  /** Orders so far. */
  order_count: number;
  /** Customers so far. */
  customer_count: number;
  /** When the account was created. At most 20 characters. */
  created_at: string;
}

export interface LedgerEntry {
  /** Unique in the service. */
  id: number;
  /** Position in the account’s ledger: 1, 2, 3 … */
  number: number;
  /** charge, refund, credit or debit. Tolerate new values. At most 64 characters. */
  kind: string;
  /** Negative for charges and debits. At most 21 characters. */
  amount: string;
  /** The balance after this entry. At most 20 characters. */
  balance_after: string;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  order_id: number | null;
  /** The administrator who made the entry. */
  actor: string | null;
  memo: string | null;
  /** When the entry was made. At most 20 characters. */
  created_at: string;
}

export interface AdminPackage {
  /** The package. */
  id: number;
  /** The name shown to people. At most 500 characters. */
  name: string;
  /** Short display strings. */
  features: string[];
  limits: {
    /** Accounts that the customer may connect. 0 to 2147483647. */
    accounts: number;
    /** Posts each day. 0 to 2147483647. */
    posts_per_day: number;
    /** Images made by AI each month. 0 to 2147483647. */
    ai_images_per_month: number;
  };
  /** The nominal length of a month, as shown to people; for a trial, its real length. 1 to 3650. */
  duration_days: number;
  trial: boolean;
  retired: boolean;
  /** ISO 4217 code. At most 3 characters. */
  currency: string;
  /** What each group pays now. */
  prices: {
    reseller: {
      /** 1 month. At most 20 characters. */
      monthly: string;
      /** 3 months. At most 20 characters. */
      quarterly: string;
      /** 12 months. At most 20 characters. */
      yearly: string;
    };
    distributor: {
      /** 1 month. At most 20 characters. */
      monthly: string;
      /** 3 months. At most 20 characters. */
      quarterly: string;
      /** 12 months. At most 20 characters. */
      yearly: string;
    };
  };
  /** When it was created. At most 20 characters. */
  created_at: string;
}

export interface ScheduledPrices {
  /** The first second that they hold in. At most 20 characters. */
  from: string;
  /** What is not named stays what it is in that second. */
  prices: {
    reseller?: {
      /** 1 month. At most 20 characters. */
      monthly?: string | undefined;
      /** 3 months. At most 20 characters. */
      quarterly?: string | undefined;
      /** 12 months. At most 20 characters. */
      yearly?: string | undefined;
    } | undefined;
    distributor?: {
      /** 1 month. At most 20 characters. */
      monthly?: string | undefined;
      /** 3 months. At most 20 characters. */
      quarterly?: string | undefined;
      /** 12 months. At most 20 characters. */
      yearly?: string | undefined;
    } | undefined;
  };
  /** Whether that second has come: then they can no longer be deleted. */
  begun: boolean;
}

export interface AuditEntry {
  /** Position in the log: 1, 2, 3 … */
  number: number;
  /** When it was done. At most 20 characters. */
  at: string;
  actor: {
    /** The account that acted; 0 where nobody is known, as of a sign-in that was refused. */
    id: number;
    /** Its username; empty where nobody is known. At most 64 characters. */
    username: string;
  };
  /** What was done. At most 64 characters. */
  action: string;
  /** What it was done to: "account 12". At most 500 characters. */
  subject: string;
  /** What changed, as it was before, in the names and formats of this API. Entries stay as they were written: older ones have balance_cents, times in seconds, and limits as postsPerDay and aiImagesPerMonth. */
  before: unknown;
  /** What changed, as it was afterwards. */
  after: unknown;
  /** Which key or person of the account it was; null: the service itself, its command line, or nobody that is known. */
  by: {
    /** What acted for the account. */
    type: 'key' | 'person';
    /** The key, or the person. */
    id: number;
    /** The name of the key, or the username of the person; empty where it has none. At most 200 characters. */
    name: string;
  } | null;
}

export interface VerifyReport {
  ok: boolean;
  /** Accounts that were checked. */
  accounts: number;
  /** Ledger entries that were added up. */
  entries: number;
  /** Tests of accounts that were checked as well, where there are any; the others do not count them. */
  test_accounts?: number | undefined;
  problems: {
    /** The account. */
    account_id: number;
    /** What is wrong: an entry, an order, a customer, a counter. At most 1000 characters. */
    subject: string;
    /** Why it does not add up. At most 2000 characters. */
    problem: string;
  }[];
}

export interface ApiKey {
  /** The key. It stays the same when the key is rotated. */
  id: number;
  /** Which program has it. At most 80 characters. */
  name: string;
  /** test: it reaches the account’s test mode alone. Tolerate new values. */
  mode: 'live' | 'test';
  /** It came with the account, and has all scopes. */
  first: boolean;
  /** Tolerate new values. */
  status: 'active' | 'expired';
  /** What it may do. Tolerate new values. */
  scopes: string[];
  /** Whether it has whatever its account may do, what is to come included. */
  all_scopes: boolean;
  /** Within those of the account; empty: all of those. */
  allowed_ips: string[];
  /** null: only that of the account. */
  rate_limit_per_minute: number | null;
  /** The last four characters of its newest secret. At most 4 characters. */
  last_four: string;
  /** When the key was made. At most 20 characters. */
  created_at: string;
  /** When its newest secret was made. At most 20 characters. */
  secret_created_at: string;
  /** Who made it; null: it came with the account, or nobody knows. */
  created_by: {
    /** The username of the account. At most 64 characters. */
    account: string;
    /** Tolerate new values. */
    type: 'key' | 'person';
    /** That key or person; absent: of another account, whose own it is to know. */
    id?: number | undefined;
    /** The name of the key, or the username of the person; absent where id is. At most 200 characters. */
    name?: string | undefined;
  } | null;
  /** null: never. */
  last_used_at: string | null;
  /** null: never. */
  expires_at: string | null;
  /** Secrets before it that still work, the newest first. */
  ending: {
    /** The last four characters of its newest secret. At most 4 characters. */
    last_four: string;
    /** When it ends. At most 20 characters. */
    ends_at: string;
    /** null: never. */
    last_used_at: string | null;
  }[];
}

export interface Person {
  /** The person. An account’s own login has the id of the account. */
  id: number;
  /** What they sign in with. At most 64 characters. */
  username: string;
  /** Where they are written to; absent if nowhere. At most 254 characters. */
  email?: string | undefined;
  /** What they may do. Of an account: owner, staff or viewer; of the operator: owner, finance, support or viewer. */
  role: 'owner' | 'staff' | 'finance' | 'support' | 'viewer';
  /** invited: they have not chosen a password yet. active: they can sign in. */
  status: 'invited' | 'active';
  /** Whether their sign-in also takes a code. */
  totp_enabled: boolean;
  /** null: they never did. */
  last_sign_in_at: string | null;
  /** When they were invited, or the account was made. At most 20 characters. */
  created_at: string;
}

export interface Product {
  /** none: nobody is told. notify: orders are completed at once, and the product is told. confirm: an order is pending until the product has taken it. */
  mode: 'none' | 'notify' | 'confirm';
  /** null: there is no product. */
  url: string | null;
  /** Whether calls are signed: always, where there is a product. */
  has_secret: boolean;
  /** Where it is called for orders of tests. Absent: nowhere, and they are completed at once. At most 2048 characters. */
  test_url?: string | undefined;
}

export interface OrderNeedingAttention {
  order: Order;
  account: {
    /** Whose order it is. */
    id: number;
    /** What the account signs in with. At most 64 characters. */
    username: string;
  };
  call: {
    /** The id of the call, the same at every attempt. At most 64 characters. */
    id: string;
    /** What the product was told. At most 64 characters. */
    type: string;
    /** How often it was tried. */
    attempts: number;
    /** null: it never was. */
    first_attempt_at: string | null;
    /** null: there was no answer. */
    last_status: number | null;
    /** null: it was answered. */
    last_error: string | null;
  };
}

export interface ProductCall {
  /** The id of the call, the same at every attempt. At most 64 characters. */
  id: string;
  /** What the call tells the product. At most 64 characters. */
  type: string;
  /** waiting: sent at next_attempt_at. attention: ran out of attempts, and needs you. done: taken, settled with its order, or done by hand. superseded: a later call tells the product the whole state. failed: not sent any more, because there is no product. */
  status: 'waiting' | 'attention' | 'done' | 'superseded' | 'failed';
  account: {
    /** Whose customer it is about. */
    id: number;
    /** What the account signs in with. At most 64 characters. */
    username: string;
  };
  customer: {
    /** Whom it is about. */
    id: number;
    /** Their reference. At most 254 characters. */
    reference: string;
  };
  /** null: it belongs to no order. */
  order_id: number | null;
  /** Whether its answer completes or fails the order. */
  decides_order: boolean;
  /** When it was written. At most 20 characters. */
  created_at: string;
  /** Attempts so far. */
  attempts: number;
  /** null: there was none yet. */
  first_attempt_at: string | null;
  /** null: there was none yet, or it was not recorded. */
  last_attempt_at: string | null;
  /** null: none is scheduled. */
  next_attempt_at: string | null;
  /** null: there was no answer. */
  last_status: number | null;
  /** null: it was answered, or not sent yet. */
  last_error: string | null;
  /** The latest attempts, oldest first. */
  latest_attempts: {
    /** When it was sent. At most 20 characters. */
    at: string;
    /** null: there was no answer. */
    status: number | null;
    /** null: it was answered. */
    error: string | null;
    /** null: nothing was sent. */
    milliseconds: number | null;
    /** null: it was empty, or there was none. */
    answer: string | null;
  }[];
}

export interface Brand {
  /** null: not set. */
  name: string | null;
  /** null: not set. */
  colour: string | null;
  /** Name and address on statements and receipts, line by line. Empty: STATEMENT_ISSUER. */
  letterhead: string[];
  /** null: not set. */
  support_address: string | null;
  /** The language of whoever has not said which one they read. */
  language: 'en' | 'de';
  /** null: there is none. */
  logo: {
    /** Where it is, for everybody. At most 2048 characters. */
    url: string;
    /** What it is by its bytes. */
    type: 'image/png' | 'image/jpeg';
    /** In pixels. 1 to 2048. */
    width: number;
    /** In pixels. 1 to 2048. */
    height: number;
  } | null;
}

/** By `type`. New types may be added: tolerate others. */
export type KnownEvent =
  | OrderCompletedEvent
  | OrderFailedEvent
  | PlanActivatedEvent
  | PlanRenewedEvent
  | PlanChangedEvent
  | PlanSuspendedEvent
  | PlanResumedEvent
  | PlanCancelledEvent
  | PlanEndingEvent
  | PlanExpiredEvent
  | CustomerCreatedEvent
  | CustomerUpdatedEvent
  | BalanceCreditedEvent
  | BalanceDebitedEvent
  | BalanceLowEvent
  | RenewalFailedEvent
  | PriceScheduledEvent
  | KeyCreatedEvent
  | KeyRevokedEvent
  | WebhookDisabledEvent;

export type GetBalanceAnswer = Balance;

export interface ListPackagesAnswer {
  /** The price group of the account. */
  group: 'reseller' | 'distributor';
  data: Package[];
}

export interface PlaceOrderBody {
  /** An id from GET /packages. 1 to 2147483647. */
  package_id: number;
  /** An e-mail address, or a username of letters, digits, dot, underscore, hyphen. At most 254 characters. */
  customer: string;
  /** The length of the period in months; 1 if neither months nor period is sent. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** Display name for a new customer. At most 120 characters. */
  customer_name?: string | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** true: the answer carries login_url. Otherwise it has none. */
  return_login?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface PlaceOrderAnswer {
  order: Order;
  /** The balance right after this order. At most 20 characters. */
  balance: string;
  /** Single-use login link for the customer; present when return_login was true. At most 2048 characters. */
  login_url?: string | undefined;
}

export interface ListOrdersQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** A reference, or the id of a customer. At most 254 characters. */
  customer?: string | undefined;
  /** Orders of this kind. */
  kind?: 'activate' | 'renew' | 'change' | undefined;
  /** Orders of this status. */
  status?: 'pending' | 'completed' | 'failed' | undefined;
  /** Orders for this package. */
  package_id?: number | undefined;
  /** The order of this key. At most 80 characters. */
  idempotency_key?: string | undefined;
  /** Made at this time or later. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  created_from?: string | undefined;
  /** Made at this time or earlier. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  created_to?: string | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** csv, or Accept: text/csv: all that fit, not only a page, as CSV. Cells that a spreadsheet would take for a formula begin with an apostrophe. */
  format?: 'json' | 'csv' | undefined;
}

export interface ListOrdersAnswer {
  data: Order[];
  /** The page that was asked for. */
  page?: number | undefined;
  /** Items per page. 1 to 100. */
  per_page?: number | undefined;
  /** Items on all pages. */
  total?: number | undefined;
  /** null: there is no more. */
  next_cursor?: string | null | undefined;
}

export interface RenewOrderBody {
  /** If neither months nor period is sent: the months of the renewed order. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RenewOrderAnswer {
  order: Order;
  /** The balance right after this order. At most 20 characters. */
  balance: string;
}

export interface GetOrderAnswer {
  order: Order;
}

export interface PreviewOrderBody {
  /** An id from GET /packages. 1 to 2147483647. */
  package_id?: number | undefined;
  /** An e-mail address, or a username of letters, digits, dot, underscore, hyphen. At most 254 characters. */
  customer?: string | undefined;
  /** The length of the period in months; 1 if neither months nor period is sent. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** Display name for a new customer. At most 120 characters. */
  customer_name?: string | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** true: the answer carries login_url. Otherwise it has none. */
  return_login?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
  /** In place of package_id and customer: the order to renew. */
  order_id?: number | undefined;
  /** In place of those: the customer whose present plan is renewed. */
  renew_customer?: number | string | undefined;
}

export interface PreviewOrderAnswer {
  preview: OrderPreview;
}

export interface PlaceOrdersInBulkBody {
  /** Carried out in this order, as if they were sent one after another. */
  orders: (OrderToPlace | OrderToRenew | CustomerToRenew)[];
}

export interface PlaceOrdersInBulkAnswer {
  /** One for each order, in the order sent. Those that were placed have order, the others error. */
  results: (PlacedInBulk | RefusedInBulk)[];
  /** The balance right after the last order that was placed; if none was, the present one. At most 20 characters. */
  balance: string;
}

export interface ListCustomersQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** The start of a reference, a name or an external_ref, in any case. At most 254 characters. */
  q?: string | undefined;
  /** Customers of this status. */
  status?: 'active' | 'suspended' | undefined;
  /** As plan.active. true: the plan runs, and you have not suspended the customer. false: it has ended, or you have. */
  active?: boolean | undefined;
  /** Customers whose last plan is of this package. */
  package_id?: number | undefined;
  /** Customers of this external_ref. At most 80 characters. */
  external_ref?: string | undefined;
  /** The plan ends at this time or later. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  expires_from?: string | undefined;
  /** The plan ends at this time or earlier. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  expires_to?: string | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** csv, or Accept: text/csv: all that fit, not only a page, as CSV. Cells that a spreadsheet would take for a formula begin with an apostrophe. */
  format?: 'json' | 'csv' | undefined;
}

export interface ListCustomersAnswer {
  data: Customer[];
  /** The page that was asked for. */
  page?: number | undefined;
  /** Items per page. 1 to 100. */
  per_page?: number | undefined;
  /** Items on all pages. */
  total?: number | undefined;
  /** null: there is no more. */
  next_cursor?: string | null | undefined;
}

export interface GetCustomerAnswer {
  customer: Customer;
}

export interface EditCustomerBody {
  /** The display name. At most 240 characters. */
  name?: string | undefined;
  /** Your own id of the customer; null: none. */
  external_ref?: string | null | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface EditCustomerAnswer {
  customer: Customer;
}

export interface CancelPlanBody {
  /** now: at once, with a refund. period_end: when it has run out. */
  at: 'now' | 'period_end';
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CancelPlanAnswer {
  customer: Customer;
  /** What was given back for the unused time. At most 20 characters. */
  refund: string;
  /** The balance right after it. At most 20 characters. */
  balance: string;
}

export interface SuspendCustomerBody {
  /** Why, for your own history. At most 200 characters. */
  reason?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface SuspendCustomerAnswer {
  customer: Customer;
}

export interface ResumeCustomerAnswer {
  customer: Customer;
}

export interface SetAutoRenewBody {
  /** The months of each renewal. This or period is required; if both are sent, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** The most that a renewal may be charged; null or absent: whatever the price is then. */
  max_charge?: string | null | undefined;
  /** How many hours before its end; 24 if it is not sent. 1 to 720. */
  hours_before?: number | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface SetAutoRenewAnswer {
  customer: Customer;
}

export interface RemoveAutoRenewAnswer {
  customer: Customer;
}

export interface ListPlanHistoryQuery {
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListPlanHistoryAnswer {
  data: PlanHistoryItem[];
  /** null: there is nothing older. */
  next_cursor: string | null;
}

export interface ListLedgerQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** Entries of this kind. */
  kind?: 'charge' | 'refund' | 'credit' | 'debit' | undefined;
  /** Entries of this order. */
  order_id?: number | undefined;
  /** Made at this time or later. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  created_from?: string | undefined;
  /** Made at this time or earlier. A time, or a whole UTC day: 2026-01-31T12:00:00Z or 2026-01-31. At most 20 characters. */
  created_to?: string | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** csv, or Accept: text/csv: all that fit, not only a page, as CSV. Cells that a spreadsheet would take for a formula begin with an apostrophe. */
  format?: 'json' | 'csv' | undefined;
}

export interface ListLedgerAnswer {
  data: LedgerEntry[];
  /** The page that was asked for. */
  page?: number | undefined;
  /** Items per page. 1 to 100. */
  per_page?: number | undefined;
  /** Items on all pages. */
  total?: number | undefined;
  /** null: there is no more. */
  next_cursor?: string | null | undefined;
}

export interface ListStatementsAnswer {
  data: Statement[];
}

export interface GetStatementQuery {
  /** In place of the Accept header. */
  format?: 'json' | 'csv' | 'pdf' | undefined;
}

export interface GetStatementAnswer {
  statement: {
    /** The UTC month. At most 7 characters. */
    month: string;
    /** Whether the month is over. */
    final: boolean;
    /** ISO 4217 code. At most 3 characters. */
    currency: string;
    /** The balance before the month. At most 20 characters. */
    opening: string;
    /** Put in. At most 20 characters. */
    credits: string;
    /** Taken out by an administrator. At most 20 characters. */
    debits: string;
    /** For orders. At most 20 characters. */
    charges: string;
    /** Given back by orders. At most 20 characters. */
    refunds: string;
    /** opening + credits − debits − charges + refunds. At most 20 characters. */
    closing: string;
    /** Ledger entries of the month. */
    entry_count: number;
    entries: LedgerEntry[];
  };
}

export interface GetForecastQuery {
  /** How far ahead, in days of 24 hours from now: 30 unless sent. 1 to 366. */
  days?: number | undefined;
}

export type GetForecastAnswer = Forecast;

export interface ReadEventsQuery {
  /** The id of the last event you have. Without it: from the oldest that is kept. */
  after?: number | undefined;
  /** Events of this type alone. */
  type?: 'order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled' | undefined;
  /** Events per answer. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** Seconds to wait where there is nothing yet: the answer comes with the first event. Clamped, never refused. 0 to 20. Default: 0. */
  wait?: number | undefined;
}

export interface ReadEventsAnswer {
  data: AccountEvent[];
  /** null: there is no event yet, and none was named. */
  next_after: number | null;
  /** Whether there is more already. */
  has_more: boolean;
  /** null: there is none yet. */
  last_id: number | null;
}

export interface GetEventAnswer {
  event: AccountEvent;
}

export interface ListWebhooksAnswer {
  data: Webhook[];
}

export interface CreateWebhookBody {
  /** Where events are sent by POST: an https address that is open to the internet. 1 to 2048 characters. */
  url: string;
  /** The types that are sent; empty: all, those to come included. */
  types?: ('order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled')[] | undefined;
  /** For your own eyes; null: none. */
  description?: string | null | undefined;
  /** false: nothing is sent; what happens meanwhile is sent when it is true again. */
  enabled?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreateWebhookAnswer {
  webhook: Webhook;
  /** Shown in this answer alone; null: this repeats the first answer. */
  secret: string | null;
}

export interface GetWebhookAnswer {
  webhook: Webhook;
}

export interface ChangeWebhookBody {
  /** Where events are sent by POST: an https address that is open to the internet. 1 to 2048 characters. */
  url?: string | undefined;
  /** The types that are sent; empty: all, those to come included. */
  types?: ('order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled')[] | undefined;
  /** For your own eyes; null: none. */
  description?: string | null | undefined;
  /** false: nothing is sent; what happens meanwhile is sent when it is true again. */
  enabled?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface ChangeWebhookAnswer {
  webhook: Webhook;
}

export interface DeleteWebhookAnswer {
  /** true. */
  deleted: boolean;
}

export interface TestWebhookAnswer {
  /** Whether the answer was 2xx. */
  delivered: boolean;
  /** null: there was no answer. */
  status: number | null;
  /** null: there was one. */
  reason: string | null;
  /** How long it took. */
  milliseconds: number;
  /** The first KiB of the answer’s body. At most 1024 characters. */
  answer: string;
}

export interface RotateWebhookSecretBody {
  /** How long the secret before this one signs as well; 24 if it is not sent. 0 to 168. */
  overlap_hours?: number | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RotateWebhookSecretAnswer {
  webhook: Webhook;
  /** Shown in this answer alone; null: this repeats the first answer. */
  secret: string | null;
}

export interface ListWebhookDeliveriesQuery {
  /** Attempts that ended so alone. */
  status?: 'delivered' | 'failed' | 'given_up' | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListWebhookDeliveriesAnswer {
  data: Delivery[];
  /** null: there is nothing older. */
  next_cursor: string | null;
}

export interface RedeliverToWebhookAnswer {
  webhook: Webhook;
}

export interface RedeliverSinceToWebhookBody {
  /** The id of the first event to send again, or the second it begins with. */
  from: number | string;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RedeliverSinceToWebhookAnswer {
  webhook: Webhook;
}

export interface GetAlertsAnswer {
  alerts: Alerts;
  /** Those of emails that were confirmed by the link mailed to them: alerts go to these alone. */
  confirmed_emails: string[];
}

export interface SetAlertsBody {
  /** balance.low is told when the balance falls below it. At most 15 characters. */
  balance_below?: string | undefined;
  /** How many days before its end a plan is told of, beside 7 days and 1 day. At once if less is left of it. 1 to 60. */
  plans_ending_days?: number | undefined;
  /** Who is written to, where the operator sends mail. */
  emails?: string[] | undefined;
}

export interface SetAlertsAnswer {
  alerts: Alerts;
  /** Those of emails that were confirmed by the link mailed to them: alerts go to these alone. */
  confirmed_emails: string[];
}

export interface GetTestClockAnswer {
  clock: TestClock;
}

export interface MoveTestClockBody {
  /** An ISO 8601 duration of whole years, months, weeks, days, hours, minutes and seconds, such as P1M or P1DT12H. Months and years are calendar months, as those of plans. At most 80 characters. */
  advance?: string | undefined;
  /** The time that it is to be: not before the clock, at most ten years behind it. At most 20 characters. */
  now?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface MoveTestClockAnswer {
  clock: TestClock;
  /** false: there was more to happen than one request has time for, and the clock stands where it came to. Send the same request with the same key again to go on. */
  reached: boolean;
  /** Test data has used up its space, and the clock stands where it came to: reset the test account to go on. Absent otherwise. */
  stopped_by?: 'test_full' | undefined;
  /** What happened by itself on the way, of the whole move. */
  happened: {
    /** Plans that renewed themselves. */
    renewals: number;
    /** Tries of it that were refused: each is an event renewal.failed. */
    renewals_failed: number;
    /** Plans that came to their end. */
    ended: number;
    /** Notices that a plan is going to end: each is an event plan.ending. */
    warnings: number;
  };
}

export interface CreditTestBody {
  /** More than 0.00, at most 1000000.00. At most 10 characters. */
  amount: string;
  /** At most 500 characters. */
  memo?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreditTestAnswer {
  entry: LedgerEntry;
  /** The balance after this entry. At most 20 characters. */
  balance: string;
}

export interface ResetTestAnswer {
  clock: TestClock;
  /** What every test begins with. At most 20 characters. */
  balance: string;
}

export interface CreateAccountBody {
  /** 3 to 64 characters: a-z, 0-9, dot, underscore, hyphen. At most 64 characters. */
  username: string;
  /** The price group of the account. */
  group: 'reseller' | 'distributor';
  /** At most 120 characters. */
  display_name?: string | undefined;
  /** Where its people are written to; empty: nowhere. At most 254 characters. */
  email?: string | undefined;
  /** true: a link to a first password, good for seven days, is mailed to email; password is left out then. */
  invite?: boolean | undefined;
  /** None of the most used ones, and none that holds the name of the account. 12 to 200 characters. */
  password?: string | undefined;
  /** 1 to 1000000. */
  rate_limit_per_minute?: number | undefined;
  allowed_ips?: string[] | undefined;
}

export interface CreateAccountAnswer {
  account: Account;
  /** Shown here; afterwards the account sees it in its panel. At most 54 characters. */
  api_key: string;
  /** The generated password; absent when one was chosen. At most 200 characters. */
  password?: string | undefined;
}

export interface ListAccountsQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** Part of a username or display name. At most 16384 characters. */
  q?: string | undefined;
  /** The price group of the account. */
  group?: 'reseller' | 'distributor' | undefined;
  /** Only administrators, or everybody else. An administrator is of the group distributor. */
  is_admin?: boolean | undefined;
}

export interface ListAccountsAnswer {
  data: Account[];
  /** The page that was asked for. */
  page: number;
  /** Items per page. 1 to 100. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

export interface GetAccountAnswer {
  account: Account;
}

export interface ChangeAccountBody {
  /** The price group of the account. */
  group?: 'reseller' | 'distributor' | undefined;
  /** At most 120 characters. */
  display_name?: string | undefined;
  /** Where its people are written to; empty: nowhere. At most 254 characters. */
  email?: string | undefined;
  blocked?: boolean | undefined;
  api_enabled?: boolean | undefined;
  /** 1 to 1000000. */
  rate_limit_per_minute?: number | undefined;
  allowed_ips?: string[] | undefined;
  /** None of the most used ones, and none that holds the name of the account. 12 to 200 characters. */
  password?: string | undefined;
  /** true: set allowed_ips even if they leave out the address you are using. */
  confirm?: boolean | undefined;
}

export interface ChangeAccountAnswer {
  account: Account;
}

export interface CreditAccountBody {
  /** A negative amount debits. At most 16 characters. */
  amount: string;
  /** At most 500 characters. */
  memo?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreditAccountAnswer {
  entry: LedgerEntry;
  /** The balance after this entry. At most 20 characters. */
  balance: string;
}

export interface ResetApiKeyAnswer {
  /** The new key. At most 54 characters. */
  api_key: string;
}

export interface EndAccountSessionsAnswer {
  /** How many there were. */
  ended: number;
}

export interface ListAccountKeysAnswer {
  data: ApiKey[];
}

export interface CreateAccountKeyBody {
  /** For people: which program has it. 1 to 80 characters. */
  name: string;
  /** What the key may do. Every account: balance:read, packages:read, orders:read, orders:write, customers:read, customers:write, ledger:read, events:read, webhooks:write. Administrators also: admin:read, admin:accounts, admin:credit, admin:packages, product. Left out: all that the account has, those to come included. */
  scopes?: ('balance:read' | 'packages:read' | 'orders:read' | 'orders:write' | 'customers:read' | 'customers:write' | 'ledger:read' | 'events:read' | 'webhooks:write' | 'admin:read' | 'admin:accounts' | 'admin:credit' | 'admin:packages' | 'product')[] | undefined;
  /** Addresses and CIDR ranges, within those of the account; empty: all of those. */
  allowed_ips?: string[] | undefined;
  /** From then on it is answered revoked_api_key with the reason expired; null: never. */
  expires_at?: string | null | undefined;
  /** Requests of this key in any 60 seconds, within the limit of the account; null: only that one. */
  rate_limit_per_minute?: number | null | undefined;
  /** true: a key of test mode, which reaches the account’s test account and nothing real. */
  test?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreateAccountKeyAnswer {
  key: ApiKey;
  /** null: the request was sent again with its idempotency key. */
  api_key: string | null;
}

export interface ChangeAccountKeyBody {
  /** For people: which program has it. 1 to 80 characters. */
  name?: string | undefined;
  /** null: all that the account has. */
  scopes?: ('balance:read' | 'packages:read' | 'orders:read' | 'orders:write' | 'customers:read' | 'customers:write' | 'ledger:read' | 'events:read' | 'webhooks:write' | 'admin:read' | 'admin:accounts' | 'admin:credit' | 'admin:packages' | 'product')[] | null | undefined;
  /** Addresses and CIDR ranges, within those of the account; empty: all of those. */
  allowed_ips?: string[] | undefined;
  /** From then on it is answered revoked_api_key with the reason expired; null: never. */
  expires_at?: string | null | undefined;
  /** Requests of this key in any 60 seconds, within the limit of the account; null: only that one. */
  rate_limit_per_minute?: number | null | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface ChangeAccountKeyAnswer {
  key: ApiKey;
}

export interface RevokeAccountKeyAnswer {
  /** true */
  deleted: boolean;
}

export interface RotateAccountKeyBody {
  /** How long the secret before it still works. 0, the default: not at all. 0 to 168. */
  overlap_hours?: number | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RotateAccountKeyAnswer {
  key: ApiKey;
  /** null: the request was sent again with its idempotency key. */
  api_key: string | null;
}

export interface ListPeopleAnswer {
  /** The account’s own login first, then by when they were invited. */
  data: Person[];
}

export interface InvitePersonBody {
  /** 3 to 64 characters: a-z, 0-9, dot, underscore, hyphen. At most 64 characters. */
  username: string;
  /** Where its people are written to; empty: nowhere. At most 254 characters. */
  email?: string | undefined;
  /** What they may do. Of an account: owner, staff or viewer; of the operator: owner, finance, support or viewer. */
  role: 'owner' | 'staff' | 'finance' | 'support' | 'viewer';
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface InvitePersonAnswer {
  person: Person;
  /** null: the request was sent again with its idempotency key. */
  invitation: {
    /** Whoever opens it chooses the password, once. It is in this answer alone. At most 2048 characters. */
    url: string;
    /** When it stops working. At most 20 characters. */
    expires_at: string;
  } | null;
}

export interface RenewInvitationAnswer {
  person: Person;
  /** null: the request was sent again with its idempotency key. */
  invitation: {
    /** Whoever opens it chooses the password, once. It is in this answer alone. At most 2048 characters. */
    url: string;
    /** When it stops working. At most 20 characters. */
    expires_at: string;
  } | null;
}

export interface ChangePersonBody {
  /** What they may do. Of an account: owner, staff or viewer; of the operator: owner, finance, support or viewer. */
  role?: 'owner' | 'staff' | 'finance' | 'support' | 'viewer' | undefined;
  /** Where its people are written to; empty: nowhere. At most 254 characters. */
  email?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface ChangePersonAnswer {
  person: Person;
}

export interface RemovePersonAnswer {
  /** true. */
  removed: boolean;
}

export interface GrantTrialBody {
  /** A package that is a free trial. */
  package_id: number;
  /** At most 254 characters. */
  customer: string;
  /** At most 120 characters. */
  customer_name?: string | undefined;
  /** true: give it to a customer who has had this trial before. */
  again?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface GrantTrialAnswer {
  customer: Customer;
}

export interface ListAccountLedgerQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListAccountLedgerAnswer {
  data: LedgerEntry[];
  /** The page that was asked for. */
  page: number;
  /** Items per page. 1 to 100. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

export interface ListAccountOrdersQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListAccountOrdersAnswer {
  data: Order[];
  /** The page that was asked for. */
  page: number;
  /** Items per page. 1 to 100. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

export interface ListAccountCustomersQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListAccountCustomersAnswer {
  data: Customer[];
  /** The page that was asked for. */
  page: number;
  /** Items per page. 1 to 100. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

export interface ListAllPackagesAnswer {
  data: AdminPackage[];
}

export interface CreatePackageBody {
  /** 1 to 120 characters. */
  name: string;
  features?: string[] | undefined;
  limits: {
    /** 0 to 2147483647. */
    accounts: number;
    /** 0 to 2147483647. */
    posts_per_day: number;
    /** 0 to 2147483647. */
    ai_images_per_month: number;
  };
  /** 1 to 3650. */
  duration_days?: number | undefined;
  trial?: boolean | undefined;
  retired?: boolean | undefined;
  prices?: {
    reseller: {
      /** At most 15 characters. */
      monthly: string;
      /** At most 15 characters. */
      quarterly: string;
      /** At most 15 characters. */
      yearly: string;
    };
    distributor: {
      /** At most 15 characters. */
      monthly: string;
      /** At most 15 characters. */
      quarterly: string;
      /** At most 15 characters. */
      yearly: string;
    };
  } | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreatePackageAnswer {
  package: AdminPackage;
}

export interface GetPackageAnswer {
  package: AdminPackage;
}

export interface ChangePackageBody {
  /** 1 to 120 characters. */
  name?: string | undefined;
  features?: string[] | undefined;
  limits?: {
    /** 0 to 2147483647. */
    accounts?: number | undefined;
    /** 0 to 2147483647. */
    posts_per_day?: number | undefined;
    /** 0 to 2147483647. */
    ai_images_per_month?: number | undefined;
  } | undefined;
  /** 1 to 3650. */
  duration_days?: number | undefined;
  /** Fixed at creation: only its present value is accepted. */
  trial?: boolean | undefined;
  retired?: boolean | undefined;
  prices?: {
    reseller?: {
      /** At most 15 characters. */
      monthly?: string | undefined;
      /** At most 15 characters. */
      quarterly?: string | undefined;
      /** At most 15 characters. */
      yearly?: string | undefined;
    } | undefined;
    distributor?: {
      /** At most 15 characters. */
      monthly?: string | undefined;
      /** At most 15 characters. */
      quarterly?: string | undefined;
      /** At most 15 characters. */
      yearly?: string | undefined;
    } | undefined;
  } | undefined;
}

export interface ChangePackageAnswer {
  package: AdminPackage;
}

export interface SchedulePricesBody {
  /** A whole second in UTC, in the future. At most 20 characters. */
  from: string;
  prices: {
    reseller?: {
      /** At most 15 characters. */
      monthly?: string | undefined;
      /** At most 15 characters. */
      quarterly?: string | undefined;
      /** At most 15 characters. */
      yearly?: string | undefined;
    } | undefined;
    distributor?: {
      /** At most 15 characters. */
      monthly?: string | undefined;
      /** At most 15 characters. */
      quarterly?: string | undefined;
      /** At most 15 characters. */
      yearly?: string | undefined;
    } | undefined;
  };
}

export interface SchedulePricesAnswer {
  price: ScheduledPrices;
}

export interface ListScheduledPricesAnswer {
  data: ScheduledPrices[];
}

export interface UnschedulePricesQuery {
  /** A whole second in UTC, in the future. At most 20 characters. */
  from?: string | undefined;
}

export interface UnschedulePricesAnswer {
  price: ScheduledPrices;
}

export interface ExchangeLoginCodeBody {
  /** At most 100 characters. */
  code: string;
}

export interface ExchangeLoginCodeAnswer {
  customer: Customer;
}

export interface ChangeCustomerBody {
  status: 'active' | 'suspended';
}

export interface ChangeCustomerAnswer {
  customer: Customer;
}

export interface CancelPlanOfCustomerBody {
  /** now: at once, with a refund. period_end: when it has run out. */
  at: 'now' | 'period_end';
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CancelPlanOfCustomerAnswer {
  customer: Customer;
  /** What was given back for the unused time. At most 20 characters. */
  refund: string;
  /** The balance right after it. At most 20 characters. */
  balance: string;
}

export interface ChangePackageOfCustomerBody {
  /** An id from GET /packages. 1 to 2147483647. */
  package_id: number;
  /** The length of the period in months; 1 if neither months nor period is sent. If both are, they must agree. */
  months?: 1 | 3 | 12 | undefined;
  /** The same period by name: 1, 3 and 12 months. */
  period?: 'monthly' | 'quarterly' | 'yearly' | undefined;
  /** The most that may be charged, net of a refund; if it would be more: price_changed, and nothing is charged. Negative: what must come back at least. No part of what makes two requests the same. At most 16 characters. */
  max_charge?: string | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface ChangePackageOfCustomerAnswer {
  order: Order;
  /** The balance right after this order. At most 20 characters. */
  balance: string;
}

export interface CreateLoginLinkOfCustomerAnswer {
  /** Shown only now. It logs the customer in once. At most 2048 characters. */
  login_url: string;
  /** When it expires if unused. At most 20 characters. */
  expires_at: string;
}

export interface GetProductAnswer {
  product: Product;
}

export interface SetProductBody {
  /** none: nobody is told. notify: orders are completed at once, and the product is told. confirm: an order is pending until the product has taken it. */
  mode: 'none' | 'notify' | 'confirm';
  /** https, or http where OUTBOUND_ALLOW admits it. At most 2048 characters. */
  url: string;
  /** Signs the calls: whsec_ and 24 to 64 bytes in base64. Needed the first time; left out, the present one stays. At most 96 characters. */
  secret?: string | undefined;
  /** Where it is called for orders of test mode, with the same mode; null: nowhere. Left out, it stays as it is. */
  test_url?: string | null | undefined;
  /** Signs the calls for tests. Needed the first time that test_url is sent. At most 96 characters. */
  test_secret?: string | undefined;
}

export interface SetProductAnswer {
  product: Product;
}

export interface RemoveProductAnswer {
  product: Product;
}

export interface ListOrdersNeedingAttentionQuery {
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListOrdersNeedingAttentionAnswer {
  data: OrderNeedingAttention[];
  /** null: there is no more. */
  next_cursor: string | null;
}

export interface AcceptOrderAnswer {
  order: Order;
}

export interface FailOrderBody {
  /** Why, for the account that ordered. 1 to 200 characters. */
  reason: string;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface FailOrderAnswer {
  order: Order;
}

export interface ListProductCallsQuery {
  /** attention (the default): ran out of attempts. failing: waiting, and not taken at the last attempt. waiting: all that wait. */
  status?: 'attention' | 'failing' | 'waiting' | undefined;
  /** The call of this order alone, whatever its status. Send it without status and cursor. */
  order_id?: number | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListProductCallsAnswer {
  data: ProductCall[];
  /** null: there is no more. */
  next_cursor: string | null;
}

export interface SendAllProductCallsAgainAnswer {
  /** Calls that left the list: sent again, or closed because a later call stands for them. */
  calls: number;
  /** More calls need attention: send the request again. */
  more: boolean;
}

export interface SendProductCallAgainAnswer {
  call: ProductCall;
}

export interface CloseProductCallAnswer {
  call: ProductCall;
}

export interface GetBrandAnswer {
  brand: Brand;
}

export interface SetBrandBody {
  /** null: not set. */
  name: string | null;
  /** null: not set. */
  colour: string | null;
  /** Name and address on statements and receipts, line by line. Empty: STATEMENT_ISSUER. */
  letterhead: string[];
  /** null: not set. */
  support_address: string | null;
  /** The language of whoever has not said which one they read. */
  language: 'en' | 'de';
}

export interface SetBrandAnswer {
  brand: Brand;
}

export interface SetBrandLogoBody {
  /** A PNG (8 bits a colour, not interlaced) or a JPEG (RGB or grey), in base64: at most 256 KiB, 2,048 pixels a side and two million in all, no side more than eight times the other. 4 to 349528 characters. */
  data: string;
}

export interface SetBrandLogoAnswer {
  brand: Brand;
}

export interface RemoveBrandLogoAnswer {
  brand: Brand;
}

export interface ReadAllEventsQuery {
  /** The id of the last event you have. Without it: from the oldest that is kept. */
  after?: number | undefined;
  /** Events of this type alone. */
  type?: 'order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled' | undefined;
  /** Events per answer. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
  /** Seconds to wait where there is nothing yet: the answer comes with the first event. Clamped, never refused. 0 to 20. Default: 0. */
  wait?: number | undefined;
}

export interface ReadAllEventsAnswer {
  data: AccountEvent[];
  /** null: there is no event yet, and none was named. */
  next_after: number | null;
  /** Whether there is more already. */
  has_more: boolean;
  /** null: there is none yet. */
  last_id: number | null;
}

export interface GetEventOfAnyAccountAnswer {
  event: AccountEvent;
}

export interface ListOperatorWebhooksAnswer {
  data: Webhook[];
}

export interface CreateOperatorWebhookBody {
  /** Where events are sent by POST: an https address that is open to the internet. 1 to 2048 characters. */
  url: string;
  /** The types that are sent; empty: all, those to come included. */
  types?: ('order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled')[] | undefined;
  /** For your own eyes; null: none. */
  description?: string | null | undefined;
  /** false: nothing is sent; what happens meanwhile is sent when it is true again. */
  enabled?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface CreateOperatorWebhookAnswer {
  webhook: Webhook;
  /** Shown in this answer alone; null: this repeats the first answer. */
  secret: string | null;
}

export interface GetOperatorWebhookAnswer {
  webhook: Webhook;
}

export interface ChangeOperatorWebhookBody {
  /** Where events are sent by POST: an https address that is open to the internet. 1 to 2048 characters. */
  url?: string | undefined;
  /** The types that are sent; empty: all, those to come included. */
  types?: ('order.completed' | 'order.failed' | 'plan.activated' | 'plan.renewed' | 'plan.changed' | 'plan.suspended' | 'plan.resumed' | 'plan.cancelled' | 'plan.ending' | 'plan.expired' | 'customer.created' | 'customer.updated' | 'balance.credited' | 'balance.debited' | 'balance.low' | 'renewal.failed' | 'price.scheduled' | 'key.created' | 'key.revoked' | 'webhook.disabled')[] | undefined;
  /** For your own eyes; null: none. */
  description?: string | null | undefined;
  /** false: nothing is sent; what happens meanwhile is sent when it is true again. */
  enabled?: boolean | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface ChangeOperatorWebhookAnswer {
  webhook: Webhook;
}

export interface DeleteOperatorWebhookAnswer {
  /** true. */
  deleted: boolean;
}

export interface TestOperatorWebhookAnswer {
  /** Whether the answer was 2xx. */
  delivered: boolean;
  /** null: there was no answer. */
  status: number | null;
  /** null: there was one. */
  reason: string | null;
  /** How long it took. */
  milliseconds: number;
  /** The first KiB of the answer’s body. At most 1024 characters. */
  answer: string;
}

export interface RotateOperatorWebhookSecretBody {
  /** How long the secret before this one signs as well; 24 if it is not sent. 0 to 168. */
  overlap_hours?: number | undefined;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RotateOperatorWebhookSecretAnswer {
  webhook: Webhook;
  /** Shown in this answer alone; null: this repeats the first answer. */
  secret: string | null;
}

export interface ListOperatorWebhookDeliveriesQuery {
  /** Attempts that ended so alone. */
  status?: 'delivered' | 'failed' | 'given_up' | undefined;
  /** next_cursor of the page before; empty for the first page. At most 1300 characters. */
  cursor?: string | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListOperatorWebhookDeliveriesAnswer {
  data: Delivery[];
  /** null: there is nothing older. */
  next_cursor: string | null;
}

export interface RedeliverToOperatorWebhookAnswer {
  webhook: Webhook;
}

export interface RedeliverSinceToOperatorWebhookBody {
  /** The id of the first event to send again, or the second it begins with. */
  from: number | string;
  /** The same as the Idempotency-Key header. 1 to 80 characters. */
  idempotency_key?: string | undefined;
}

export interface RedeliverSinceToOperatorWebhookAnswer {
  webhook: Webhook;
}

export interface ListAuditQuery {
  /** Starts at 1. Clamped, never refused. Default: 1. */
  page?: number | undefined;
  /** Items per page. Clamped, never refused. 1 to 100. Default: 25. */
  limit?: number | undefined;
}

export interface ListAuditAnswer {
  data: AuditEntry[];
  /** The page that was asked for. */
  page: number;
  /** Items per page. 1 to 100. */
  per_page: number;
  /** Items on all pages. */
  total: number;
}

export type VerifyAnswer = VerifyReport;

export type GetEntitlementAnswer = Entitlement;

export interface ReadEntitlementsQuery {
  /** next_after of the answer before. Without it: every customer there is, and behind them what changes from then on. At most 64 characters. */
  after?: string | undefined;
  /** Changes per answer. Clamped, never refused. 1 to 1000. Default: 100. */
  limit?: number | undefined;
  /** Seconds to wait where there is nothing yet: the answer comes with the first change. Clamped, never refused. 0 to 20. Default: 0. */
  wait?: number | undefined;
}

export interface ReadEntitlementsAnswer {
  data: Entitlement[];
  /** Send it as after for what comes next. Keep it with your copy. At most 64 characters. */
  next_after: string;
  /** Whether there is more already. */
  has_more: boolean;
  /** Moves when a package is changed. Where it is not the one that your copy was made with, read from the beginning: limits and features may be others. */
  packages_version: number;
}

export interface ExchangeCodeForCustomerBody {
  /** At most 100 characters. */
  code: string;
}

export interface ExchangeCodeForCustomerAnswer {
  customer: Customer;
}

/** Every operation: where it is, and whether the service takes an idempotency key for it, or for each of what its body lists. */
export const operations = {
  getBalance: { method: 'GET', path: '/api/v1/balance', takesKey: false, holdsKeys: false },
  listPackages: { method: 'GET', path: '/api/v1/packages', takesKey: false, holdsKeys: false },
  placeOrder: { method: 'POST', path: '/api/v1/orders', takesKey: true, holdsKeys: false },
  listOrders: { method: 'GET', path: '/api/v1/orders', takesKey: false, holdsKeys: false },
  renewOrder: { method: 'POST', path: '/api/v1/orders/{id}/renew', takesKey: true, holdsKeys: false },
  getOrder: { method: 'GET', path: '/api/v1/orders/{id}', takesKey: false, holdsKeys: false },
  previewOrder: { method: 'POST', path: '/api/v1/orders/preview', takesKey: false, holdsKeys: false },
  placeOrdersInBulk: { method: 'POST', path: '/api/v1/orders/bulk', takesKey: false, holdsKeys: true },
  listCustomers: { method: 'GET', path: '/api/v1/customers', takesKey: false, holdsKeys: false },
  getCustomer: { method: 'GET', path: '/api/v1/customers/{id}', takesKey: false, holdsKeys: false },
  editCustomer: { method: 'PATCH', path: '/api/v1/customers/{id}', takesKey: true, holdsKeys: false },
  cancelPlan: { method: 'POST', path: '/api/v1/customers/{id}/cancel', takesKey: true, holdsKeys: false },
  suspendCustomer: { method: 'POST', path: '/api/v1/customers/{id}/suspend', takesKey: true, holdsKeys: false },
  resumeCustomer: { method: 'POST', path: '/api/v1/customers/{id}/resume', takesKey: true, holdsKeys: false },
  setAutoRenew: { method: 'PUT', path: '/api/v1/customers/{id}/auto-renew', takesKey: true, holdsKeys: false },
  removeAutoRenew: { method: 'DELETE', path: '/api/v1/customers/{id}/auto-renew', takesKey: true, holdsKeys: false },
  listPlanHistory: { method: 'GET', path: '/api/v1/customers/{id}/history', takesKey: false, holdsKeys: false },
  listLedger: { method: 'GET', path: '/api/v1/ledger', takesKey: false, holdsKeys: false },
  listStatements: { method: 'GET', path: '/api/v1/statements', takesKey: false, holdsKeys: false },
  getStatement: { method: 'GET', path: '/api/v1/statements/{month}', takesKey: false, holdsKeys: false },
  getForecast: { method: 'GET', path: '/api/v1/forecast', takesKey: false, holdsKeys: false },
  readEvents: { method: 'GET', path: '/api/v1/events', takesKey: false, holdsKeys: false },
  getEvent: { method: 'GET', path: '/api/v1/events/{id}', takesKey: false, holdsKeys: false },
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks', takesKey: false, holdsKeys: false },
  createWebhook: { method: 'POST', path: '/api/v1/webhooks', takesKey: true, holdsKeys: false },
  getWebhook: { method: 'GET', path: '/api/v1/webhooks/{id}', takesKey: false, holdsKeys: false },
  changeWebhook: { method: 'PATCH', path: '/api/v1/webhooks/{id}', takesKey: true, holdsKeys: false },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/{id}', takesKey: true, holdsKeys: false },
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/test', takesKey: false, holdsKeys: false },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/{id}/secret', takesKey: true, holdsKeys: false },
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/{id}/deliveries', takesKey: false, holdsKeys: false },
  redeliverToWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/deliveries/{event_id}/redeliver', takesKey: true, holdsKeys: false },
  redeliverSinceToWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/redeliver', takesKey: true, holdsKeys: false },
  getAlerts: { method: 'GET', path: '/api/v1/alerts', takesKey: false, holdsKeys: false },
  setAlerts: { method: 'PUT', path: '/api/v1/alerts', takesKey: false, holdsKeys: false },
  getTestClock: { method: 'GET', path: '/api/v1/test/clock', takesKey: false, holdsKeys: false },
  moveTestClock: { method: 'POST', path: '/api/v1/test/clock', takesKey: true, holdsKeys: false },
  creditTest: { method: 'POST', path: '/api/v1/test/credit', takesKey: true, holdsKeys: false },
  resetTest: { method: 'POST', path: '/api/v1/test/reset', takesKey: true, holdsKeys: false },
  createAccount: { method: 'POST', path: '/api/admin/v1/accounts', takesKey: false, holdsKeys: false },
  listAccounts: { method: 'GET', path: '/api/admin/v1/accounts', takesKey: false, holdsKeys: false },
  getAccount: { method: 'GET', path: '/api/admin/v1/accounts/{id}', takesKey: false, holdsKeys: false },
  changeAccount: { method: 'PATCH', path: '/api/admin/v1/accounts/{id}', takesKey: false, holdsKeys: false },
  creditAccount: { method: 'POST', path: '/api/admin/v1/accounts/{id}/credit', takesKey: true, holdsKeys: false },
  resetApiKey: { method: 'POST', path: '/api/admin/v1/accounts/{id}/api-key', takesKey: false, holdsKeys: false },
  endAccountSessions: { method: 'POST', path: '/api/admin/v1/accounts/{id}/end-sessions', takesKey: false, holdsKeys: false },
  listAccountKeys: { method: 'GET', path: '/api/admin/v1/accounts/{id}/keys', takesKey: false, holdsKeys: false },
  createAccountKey: { method: 'POST', path: '/api/admin/v1/accounts/{id}/keys', takesKey: true, holdsKeys: false },
  changeAccountKey: { method: 'PATCH', path: '/api/admin/v1/accounts/{id}/keys/{key_id}', takesKey: true, holdsKeys: false },
  revokeAccountKey: { method: 'DELETE', path: '/api/admin/v1/accounts/{id}/keys/{key_id}', takesKey: true, holdsKeys: false },
  rotateAccountKey: { method: 'POST', path: '/api/admin/v1/accounts/{id}/keys/{key_id}/rotate', takesKey: true, holdsKeys: false },
  listPeople: { method: 'GET', path: '/api/admin/v1/accounts/{id}/people', takesKey: false, holdsKeys: false },
  invitePerson: { method: 'POST', path: '/api/admin/v1/accounts/{id}/people', takesKey: true, holdsKeys: false },
  renewInvitation: { method: 'POST', path: '/api/admin/v1/accounts/{id}/people/{person_id}/invitation', takesKey: true, holdsKeys: false },
  changePerson: { method: 'PATCH', path: '/api/admin/v1/accounts/{id}/people/{person_id}', takesKey: true, holdsKeys: false },
  removePerson: { method: 'DELETE', path: '/api/admin/v1/accounts/{id}/people/{person_id}', takesKey: true, holdsKeys: false },
  grantTrial: { method: 'POST', path: '/api/admin/v1/accounts/{id}/trials', takesKey: true, holdsKeys: false },
  listAccountLedger: { method: 'GET', path: '/api/admin/v1/accounts/{id}/ledger', takesKey: false, holdsKeys: false },
  listAccountOrders: { method: 'GET', path: '/api/admin/v1/accounts/{id}/orders', takesKey: false, holdsKeys: false },
  listAccountCustomers: { method: 'GET', path: '/api/admin/v1/accounts/{id}/customers', takesKey: false, holdsKeys: false },
  listAllPackages: { method: 'GET', path: '/api/admin/v1/packages', takesKey: false, holdsKeys: false },
  createPackage: { method: 'POST', path: '/api/admin/v1/packages', takesKey: true, holdsKeys: false },
  getPackage: { method: 'GET', path: '/api/admin/v1/packages/{id}', takesKey: false, holdsKeys: false },
  changePackage: { method: 'PATCH', path: '/api/admin/v1/packages/{id}', takesKey: false, holdsKeys: false },
  schedulePrices: { method: 'POST', path: '/api/admin/v1/packages/{id}/prices', takesKey: false, holdsKeys: false },
  listScheduledPrices: { method: 'GET', path: '/api/admin/v1/packages/{id}/prices', takesKey: false, holdsKeys: false },
  unschedulePrices: { method: 'DELETE', path: '/api/admin/v1/packages/{id}/prices', takesKey: false, holdsKeys: false },
  exchangeLoginCode: { method: 'POST', path: '/api/admin/v1/login-codes/exchange', takesKey: false, holdsKeys: false },
  changeCustomer: { method: 'PATCH', path: '/api/admin/v1/customers/{id}', takesKey: false, holdsKeys: false },
  cancelPlanOfCustomer: { method: 'POST', path: '/api/admin/v1/customers/{id}/cancel', takesKey: true, holdsKeys: false },
  changePackageOfCustomer: { method: 'POST', path: '/api/admin/v1/customers/{id}/change-package', takesKey: true, holdsKeys: false },
  createLoginLinkOfCustomer: { method: 'POST', path: '/api/admin/v1/customers/{id}/login-link', takesKey: false, holdsKeys: false },
  getProduct: { method: 'GET', path: '/api/admin/v1/product', takesKey: false, holdsKeys: false },
  setProduct: { method: 'PUT', path: '/api/admin/v1/product', takesKey: false, holdsKeys: false },
  removeProduct: { method: 'DELETE', path: '/api/admin/v1/product', takesKey: false, holdsKeys: false },
  listOrdersNeedingAttention: { method: 'GET', path: '/api/admin/v1/orders/attention', takesKey: false, holdsKeys: false },
  acceptOrder: { method: 'POST', path: '/api/admin/v1/orders/{id}/accept', takesKey: true, holdsKeys: false },
  failOrder: { method: 'POST', path: '/api/admin/v1/orders/{id}/fail', takesKey: true, holdsKeys: false },
  listProductCalls: { method: 'GET', path: '/api/admin/v1/product-calls', takesKey: false, holdsKeys: false },
  sendAllProductCallsAgain: { method: 'POST', path: '/api/admin/v1/product-calls/send', takesKey: true, holdsKeys: false },
  sendProductCallAgain: { method: 'POST', path: '/api/admin/v1/product-calls/{id}/send', takesKey: true, holdsKeys: false },
  closeProductCall: { method: 'POST', path: '/api/admin/v1/product-calls/{id}/done', takesKey: true, holdsKeys: false },
  getBrand: { method: 'GET', path: '/api/admin/v1/brand', takesKey: false, holdsKeys: false },
  setBrand: { method: 'PUT', path: '/api/admin/v1/brand', takesKey: false, holdsKeys: false },
  setBrandLogo: { method: 'PUT', path: '/api/admin/v1/brand/logo', takesKey: false, holdsKeys: false },
  removeBrandLogo: { method: 'DELETE', path: '/api/admin/v1/brand/logo', takesKey: false, holdsKeys: false },
  readAllEvents: { method: 'GET', path: '/api/admin/v1/events', takesKey: false, holdsKeys: false },
  getEventOfAnyAccount: { method: 'GET', path: '/api/admin/v1/events/{id}', takesKey: false, holdsKeys: false },
  listOperatorWebhooks: { method: 'GET', path: '/api/admin/v1/webhooks', takesKey: false, holdsKeys: false },
  createOperatorWebhook: { method: 'POST', path: '/api/admin/v1/webhooks', takesKey: true, holdsKeys: false },
  getOperatorWebhook: { method: 'GET', path: '/api/admin/v1/webhooks/{id}', takesKey: false, holdsKeys: false },
  changeOperatorWebhook: { method: 'PATCH', path: '/api/admin/v1/webhooks/{id}', takesKey: true, holdsKeys: false },
  deleteOperatorWebhook: { method: 'DELETE', path: '/api/admin/v1/webhooks/{id}', takesKey: true, holdsKeys: false },
  testOperatorWebhook: { method: 'POST', path: '/api/admin/v1/webhooks/{id}/test', takesKey: false, holdsKeys: false },
  rotateOperatorWebhookSecret: { method: 'POST', path: '/api/admin/v1/webhooks/{id}/secret', takesKey: true, holdsKeys: false },
  listOperatorWebhookDeliveries: { method: 'GET', path: '/api/admin/v1/webhooks/{id}/deliveries', takesKey: false, holdsKeys: false },
  redeliverToOperatorWebhook: { method: 'POST', path: '/api/admin/v1/webhooks/{id}/deliveries/{event_id}/redeliver', takesKey: true, holdsKeys: false },
  redeliverSinceToOperatorWebhook: { method: 'POST', path: '/api/admin/v1/webhooks/{id}/redeliver', takesKey: true, holdsKeys: false },
  listAudit: { method: 'GET', path: '/api/admin/v1/audit', takesKey: false, holdsKeys: false },
  verify: { method: 'GET', path: '/api/admin/v1/verify', takesKey: false, holdsKeys: false },
  getEntitlement: { method: 'GET', path: '/api/product/v1/entitlements/{reference}', takesKey: false, holdsKeys: false },
  readEntitlements: { method: 'GET', path: '/api/product/v1/entitlements', takesKey: false, holdsKeys: false },
  exchangeCodeForCustomer: { method: 'POST', path: '/api/product/v1/login-codes/exchange', takesKey: false, holdsKeys: false },
} as const;

/** What each operation answers with. */
export interface Answers {
  getBalance: GetBalanceAnswer;
  listPackages: ListPackagesAnswer;
  placeOrder: PlaceOrderAnswer;
  listOrders: ListOrdersAnswer;
  renewOrder: RenewOrderAnswer;
  getOrder: GetOrderAnswer;
  previewOrder: PreviewOrderAnswer;
  placeOrdersInBulk: PlaceOrdersInBulkAnswer;
  listCustomers: ListCustomersAnswer;
  getCustomer: GetCustomerAnswer;
  editCustomer: EditCustomerAnswer;
  cancelPlan: CancelPlanAnswer;
  suspendCustomer: SuspendCustomerAnswer;
  resumeCustomer: ResumeCustomerAnswer;
  setAutoRenew: SetAutoRenewAnswer;
  removeAutoRenew: RemoveAutoRenewAnswer;
  listPlanHistory: ListPlanHistoryAnswer;
  listLedger: ListLedgerAnswer;
  listStatements: ListStatementsAnswer;
  getStatement: GetStatementAnswer;
  getForecast: GetForecastAnswer;
  readEvents: ReadEventsAnswer;
  getEvent: GetEventAnswer;
  listWebhooks: ListWebhooksAnswer;
  createWebhook: CreateWebhookAnswer;
  getWebhook: GetWebhookAnswer;
  changeWebhook: ChangeWebhookAnswer;
  deleteWebhook: DeleteWebhookAnswer;
  testWebhook: TestWebhookAnswer;
  rotateWebhookSecret: RotateWebhookSecretAnswer;
  listWebhookDeliveries: ListWebhookDeliveriesAnswer;
  redeliverToWebhook: RedeliverToWebhookAnswer;
  redeliverSinceToWebhook: RedeliverSinceToWebhookAnswer;
  getAlerts: GetAlertsAnswer;
  setAlerts: SetAlertsAnswer;
  getTestClock: GetTestClockAnswer;
  moveTestClock: MoveTestClockAnswer;
  creditTest: CreditTestAnswer;
  resetTest: ResetTestAnswer;
  createAccount: CreateAccountAnswer;
  listAccounts: ListAccountsAnswer;
  getAccount: GetAccountAnswer;
  changeAccount: ChangeAccountAnswer;
  creditAccount: CreditAccountAnswer;
  resetApiKey: ResetApiKeyAnswer;
  endAccountSessions: EndAccountSessionsAnswer;
  listAccountKeys: ListAccountKeysAnswer;
  createAccountKey: CreateAccountKeyAnswer;
  changeAccountKey: ChangeAccountKeyAnswer;
  revokeAccountKey: RevokeAccountKeyAnswer;
  rotateAccountKey: RotateAccountKeyAnswer;
  listPeople: ListPeopleAnswer;
  invitePerson: InvitePersonAnswer;
  renewInvitation: RenewInvitationAnswer;
  changePerson: ChangePersonAnswer;
  removePerson: RemovePersonAnswer;
  grantTrial: GrantTrialAnswer;
  listAccountLedger: ListAccountLedgerAnswer;
  listAccountOrders: ListAccountOrdersAnswer;
  listAccountCustomers: ListAccountCustomersAnswer;
  listAllPackages: ListAllPackagesAnswer;
  createPackage: CreatePackageAnswer;
  getPackage: GetPackageAnswer;
  changePackage: ChangePackageAnswer;
  schedulePrices: SchedulePricesAnswer;
  listScheduledPrices: ListScheduledPricesAnswer;
  unschedulePrices: UnschedulePricesAnswer;
  exchangeLoginCode: ExchangeLoginCodeAnswer;
  changeCustomer: ChangeCustomerAnswer;
  cancelPlanOfCustomer: CancelPlanOfCustomerAnswer;
  changePackageOfCustomer: ChangePackageOfCustomerAnswer;
  createLoginLinkOfCustomer: CreateLoginLinkOfCustomerAnswer;
  getProduct: GetProductAnswer;
  setProduct: SetProductAnswer;
  removeProduct: RemoveProductAnswer;
  listOrdersNeedingAttention: ListOrdersNeedingAttentionAnswer;
  acceptOrder: AcceptOrderAnswer;
  failOrder: FailOrderAnswer;
  listProductCalls: ListProductCallsAnswer;
  sendAllProductCallsAgain: SendAllProductCallsAgainAnswer;
  sendProductCallAgain: SendProductCallAgainAnswer;
  closeProductCall: CloseProductCallAnswer;
  getBrand: GetBrandAnswer;
  setBrand: SetBrandAnswer;
  setBrandLogo: SetBrandLogoAnswer;
  removeBrandLogo: RemoveBrandLogoAnswer;
  readAllEvents: ReadAllEventsAnswer;
  getEventOfAnyAccount: GetEventOfAnyAccountAnswer;
  listOperatorWebhooks: ListOperatorWebhooksAnswer;
  createOperatorWebhook: CreateOperatorWebhookAnswer;
  getOperatorWebhook: GetOperatorWebhookAnswer;
  changeOperatorWebhook: ChangeOperatorWebhookAnswer;
  deleteOperatorWebhook: DeleteOperatorWebhookAnswer;
  testOperatorWebhook: TestOperatorWebhookAnswer;
  rotateOperatorWebhookSecret: RotateOperatorWebhookSecretAnswer;
  listOperatorWebhookDeliveries: ListOperatorWebhookDeliveriesAnswer;
  redeliverToOperatorWebhook: RedeliverToOperatorWebhookAnswer;
  redeliverSinceToOperatorWebhook: RedeliverSinceToOperatorWebhookAnswer;
  listAudit: ListAuditAnswer;
  verify: VerifyAnswer;
  getEntitlement: GetEntitlementAnswer;
  readEntitlements: ReadEntitlementsAnswer;
  exchangeCodeForCustomer: ExchangeCodeForCustomerAnswer;
}

/** What each operation that takes a body takes. */
export interface Bodies {
  placeOrder: PlaceOrderBody;
  renewOrder: RenewOrderBody;
  previewOrder: PreviewOrderBody;
  placeOrdersInBulk: PlaceOrdersInBulkBody;
  editCustomer: EditCustomerBody;
  cancelPlan: CancelPlanBody;
  suspendCustomer: SuspendCustomerBody;
  setAutoRenew: SetAutoRenewBody;
  createWebhook: CreateWebhookBody;
  changeWebhook: ChangeWebhookBody;
  rotateWebhookSecret: RotateWebhookSecretBody;
  redeliverSinceToWebhook: RedeliverSinceToWebhookBody;
  setAlerts: SetAlertsBody;
  moveTestClock: MoveTestClockBody;
  creditTest: CreditTestBody;
  createAccount: CreateAccountBody;
  changeAccount: ChangeAccountBody;
  creditAccount: CreditAccountBody;
  createAccountKey: CreateAccountKeyBody;
  changeAccountKey: ChangeAccountKeyBody;
  rotateAccountKey: RotateAccountKeyBody;
  invitePerson: InvitePersonBody;
  changePerson: ChangePersonBody;
  grantTrial: GrantTrialBody;
  createPackage: CreatePackageBody;
  changePackage: ChangePackageBody;
  schedulePrices: SchedulePricesBody;
  exchangeLoginCode: ExchangeLoginCodeBody;
  changeCustomer: ChangeCustomerBody;
  cancelPlanOfCustomer: CancelPlanOfCustomerBody;
  changePackageOfCustomer: ChangePackageOfCustomerBody;
  setProduct: SetProductBody;
  failOrder: FailOrderBody;
  setBrand: SetBrandBody;
  setBrandLogo: SetBrandLogoBody;
  createOperatorWebhook: CreateOperatorWebhookBody;
  changeOperatorWebhook: ChangeOperatorWebhookBody;
  rotateOperatorWebhookSecret: RotateOperatorWebhookSecretBody;
  redeliverSinceToOperatorWebhook: RedeliverSinceToOperatorWebhookBody;
  exchangeCodeForCustomer: ExchangeCodeForCustomerBody;
}

/** What each operation that takes a query takes. */
export interface Queries {
  listOrders: ListOrdersQuery;
  listCustomers: ListCustomersQuery;
  listPlanHistory: ListPlanHistoryQuery;
  listLedger: ListLedgerQuery;
  getStatement: GetStatementQuery;
  getForecast: GetForecastQuery;
  readEvents: ReadEventsQuery;
  listWebhookDeliveries: ListWebhookDeliveriesQuery;
  listAccounts: ListAccountsQuery;
  listAccountLedger: ListAccountLedgerQuery;
  listAccountOrders: ListAccountOrdersQuery;
  listAccountCustomers: ListAccountCustomersQuery;
  unschedulePrices: UnschedulePricesQuery;
  listOrdersNeedingAttention: ListOrdersNeedingAttentionQuery;
  listProductCalls: ListProductCallsQuery;
  readAllEvents: ReadAllEventsQuery;
  listOperatorWebhookDeliveries: ListOperatorWebhookDeliveriesQuery;
  listAudit: ListAuditQuery;
  readEntitlements: ReadEntitlementsQuery;
}

/** Error codes of the API. New ones may be added: tolerate others. */
export type ErrorCode =
  | 'invalid_json'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'revoked_api_key'
  | 'insufficient_credit'
  | 'account_blocked'
  | 'api_disabled'
  | 'ip_not_allowed'
  | 'forbidden'
  | 'insufficient_scope'
  | 'test_mode_only'
  | 'not_found'
  | 'order_not_found'
  | 'customer_not_found'
  | 'product_call_not_found'
  | 'statement_not_found'
  | 'account_not_found'
  | 'key_not_found'
  | 'person_not_found'
  | 'package_not_found'
  | 'price_not_found'
  | 'webhook_not_found'
  | 'event_not_found'
  | 'method_not_allowed'
  | 'customer_not_yours'
  | 'clock_moving'
  | 'reset_in_progress'
  | 'test_full'
  | 'idempotency_conflict'
  | 'trial_already_granted'
  | 'price_changed'
  | 'price_already_scheduled'
  | 'price_has_begun'
  | 'events_gone'
  | 'too_many_webhooks'
  | 'too_many_keys'
  | 'first_key'
  | 'order_already_settled'
  | 'product_call_decides_order'
  | 'product_not_set'
  | 'username_taken'
  | 'too_many_people'
  | 'invitation_used'
  | 'last_owner'
  | 'last_administrator'
  | 'mail_not_configured'
  | 'payload_too_large'
  | 'invalid_package'
  | 'package_unavailable'
  | 'invalid_customer'
  | 'invalid_months'
  | 'invalid_max_charge'
  | 'invalid_idempotency_key'
  | 'invalid_filter'
  | 'too_many_entries'
  | 'invalid_cursor'
  | 'order_failed'
  | 'validation_failed'
  | 'address_locked_out'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable';
