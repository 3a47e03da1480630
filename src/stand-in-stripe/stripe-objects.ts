// The objects of Stripe's API version 2026-10-28.endive, as far as a prepaid service needs them. The functions add members
// that never change here.

import type { JsonObject } from '../shared/json.ts';

/** The version of the pinned library `stripe`; a test compares them. */
export const stripeApiVersion = '2026-10-28.endive';

export type Metadata = Readonly<Record<string, string>>;

interface StripeObject {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  [member: string]: unknown;
}

export interface Customer extends StripeObject {
  readonly object: 'customer';
  email: string | null;
  metadata: Metadata;
}

export interface PaymentMethod extends StripeObject {
  readonly object: 'payment_method';
  readonly type: 'card' | 'sepa_debit';
  customer: string | null;
}

export interface PaymentIntent extends StripeObject {
  readonly object: 'payment_intent';
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  amount_received: number;
  latest_charge: string | null;
  payment_method: string | null;
  metadata: Metadata;
  status: 'requires_payment_method' | 'requires_confirmation' | 'processing' | 'succeeded' | 'canceled';
}

export interface Charge extends StripeObject {
  readonly object: 'charge';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly payment_method: string | null;
  readonly customer: string | null;
  amount_refunded: number;
  refunded: boolean;
  disputed: boolean;
  paid: boolean;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface Refund extends StripeObject {
  readonly object: 'refund';
  readonly amount: number;
  readonly charge: string;
  readonly payment_intent: string;
  metadata: Metadata;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Dispute extends StripeObject {
  readonly object: 'dispute';
  readonly amount: number;
  readonly currency: string;
  readonly charge: string;
  readonly payment_intent: string;
  balance_transactions: readonly JsonObject[];
  is_charge_refundable: boolean;
  status: 'needs_response' | 'won' | 'lost' | 'warning_needs_response' | 'warning_closed';
}

export interface SetupIntent extends StripeObject {
  readonly object: 'setup_intent';
  readonly customer: string | null;
  payment_method: string | null;
  status: 'requires_payment_method' | 'succeeded' | 'canceled';
}

export interface CheckoutSession extends StripeObject {
  readonly object: 'checkout.session';
  readonly mode: 'payment' | 'setup';
  readonly amount_total: number | null;
  readonly currency: string | null;
  readonly success_url: string;
  readonly cancel_url: string | null;
  readonly expires_at: number;
  readonly setup_intent: string | null;
  customer: string | null;
  payment_intent: string | null;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  status: 'open' | 'complete' | 'expired';
  url: string | null;
}

export interface StripeEvent extends StripeObject {
  readonly object: 'event';
  readonly type: string;
  readonly data: { readonly object: JsonObject; readonly previous_attributes?: JsonObject };
}

export interface ObjectKinds {
  readonly 'checkout.session': CheckoutSession;
  readonly payment_intent: PaymentIntent;
  readonly setup_intent: SetupIntent;
  readonly payment_method: PaymentMethod;
  readonly customer: Customer;
  readonly charge: Charge;
  readonly refund: Refund;
  readonly dispute: Dispute;
  readonly event: StripeEvent;
}

type Made = Readonly<{ id: string; created: number }>;

/** Members that the stand-in never sets, by their names. */
export function nulls(names: string): Readonly<Record<string, null>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

const noBillingDetails = {
  address: nulls('city country line1 line2 postal_code state'),
  ...nulls('email name phone tax_id'),
};

export function customerObject(
  made: Made,
  own: { readonly email: string | null; readonly metadata: Metadata; readonly [member: string]: unknown },
): Customer {
  return {
    ...made,
    object: 'customer',
    balance: 0,
    delinquent: false,
    invoice_prefix: made.id.slice(-8).toUpperCase(),
    invoice_settings: nulls('custom_fields default_payment_method footer rendering_options'),
    livemode: false,
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
    ...nulls(
      'address currency customer_account default_source description discount name phone shipping test_clock',
    ),
    ...own,
  };
}

function testCard(created: number) {
  return {
    brand: 'visa',
    checks: { ...nulls('address_line1_check address_postal_code_check'), cvc_check: 'pass' },
    country: 'DE',
    exp_month: 12,
    exp_year: new Date(created * 1000).getUTCFullYear() + 3,
    fingerprint: 'StandInCard00000',
    funding: 'credit',
    last4: '4242',
    regulated_status: 'unregulated',
    wallet: null,
  };
}

const testAccount = {
  bank_code: '37040044',
  branch_code: '',
  country: 'DE',
  fingerprint: 'StandInAccount00',
  last4: '3000',
};

export function paymentMethodObject(made: Made, type: PaymentMethod['type']): PaymentMethod {
  const details = {
    card: {
      ...testCard(made.created),
      display_brand: 'visa',
      generated_from: null,
      networks: { available: ['visa'], preferred: null },
      three_d_secure_usage: { supported: true },
    },
    sepa_debit: { ...testAccount, generated_from: nulls('charge setup_attempt') },
  };
  return {
    ...made,
    object: 'payment_method',
    type,
    [type]: details[type],
    allow_redisplay: 'unspecified',
    billing_details: noBillingDetails,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
  };
}

export function paymentIntentObject(
  made: Made,
  own: Pick<PaymentIntent, 'amount' | 'currency' | 'customer' | 'payment_method' | 'metadata'> & JsonObject,
): PaymentIntent {
  return {
    ...made,
    object: 'payment_intent',
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    capture_method: 'automatic_async',
    client_secret: `${made.id}_secret_${made.id.slice(3)}`,
    confirmation_method: 'automatic',
    latest_charge: null,
    livemode: false,
    payment_method_options: {},
    payment_method_types: ['card'],
    status: 'requires_payment_method',
    ...nulls('allowed_payment_method_types application application_fee_amount automatic_payment_methods'),
    ...nulls('canceled_at cancellation_reason customer_account description excluded_payment_method_types'),
    ...nulls(
      'last_payment_error managed_payments next_action on_behalf_of payment_method_configuration_details',
    ),
    ...nulls('payment_record processing receipt_email review setup_future_usage shipping source'),
    ...nulls('statement_descriptor statement_descriptor_suffix transfer_data transfer_group'),
    ...own,
  };
}

export function chargeObject(made: Made, intent: PaymentIntent, method: PaymentMethod): Charge {
  const details = {
    card: {
      ...testCard(made.created),
      amount_authorized: intent.amount,
      network: 'visa',
      ...nulls(
        'authorization_code electronic_commerce_indicator installments mandate network_transaction_id',
      ),
      ...nulls('three_d_secure transaction_link_id'),
    },
    sepa_debit: { ...testAccount, mandate: null },
  };
  return {
    ...made,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    billing_details: noBillingDetails,
    captured: true,
    currency: intent.currency,
    customer: intent.customer,
    disputed: false,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    paid: false,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { [method.type]: details[method.type], type: method.type },
    refunded: false,
    status: 'pending',
    ...nulls(
      'application application_fee application_fee_amount balance_transaction calculated_statement_descriptor',
    ),
    ...nulls('description failure_balance_transaction failure_code failure_message on_behalf_of outcome'),
    ...nulls('receipt_email receipt_number receipt_url review shipping source source_transfer'),
    ...nulls('statement_descriptor statement_descriptor_suffix transfer_data transfer_group'),
  };
}

export function refundObject(
  made: Made,
  charge: Charge,
  own: Pick<Refund, 'amount' | 'metadata' | 'status'> & JsonObject,
): Refund {
  return {
    ...made,
    object: 'refund',
    charge: charge.id,
    currency: charge.currency,
    customer: charge.customer,
    destination_details: { card: { type: 'refund', reference_status: 'pending' }, type: 'card' },
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    ...nulls(
      'balance_transaction customer_account reason receipt_number source_transfer_reversal transfer_reversal',
    ),
    ...own,
  };
}

const evidenceMembers =
  'access_activity_log billing_address cancellation_policy cancellation_policy_disclosure cancellation_rebuttal ' +
  'customer_communication customer_email_address customer_name customer_purchase_ip customer_signature ' +
  'duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id product_description receipt ' +
  'refund_policy refund_policy_disclosure refund_refusal_explanation service_date service_documentation ' +
  'shipping_address shipping_carrier shipping_date shipping_documentation shipping_tracking_number ' +
  'uncategorized_file uncategorized_text';

const responseSeconds = 7 * 86_400;

export function disputeObject(
  made: Made,
  charge: Charge,
  own: { readonly amount: number; readonly reason: string; readonly isInquiry: boolean },
): Dispute {
  const { amount, reason, isInquiry } = own;
  const caseType = isInquiry ? 'inquiry' : 'chargeback';
  return {
    ...made,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...nulls(evidenceMembers), enhanced_evidence: {} },
    evidence_details: {
      due_by: made.created + responseSeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand: 'visa', case_type: caseType, network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
    reason,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
}

const disputeFee = 1_500;

/** What a dispute took from the operator or gave back. */
export function disputeTransaction(made: Made, dispute: Dispute, amount: number): JsonObject {
  const isTaken = amount < 0;
  const { currency } = dispute;
  const fee = isTaken ? disputeFee : 0;
  const feeDetail = {
    amount: fee,
    application: null,
    currency,
    description: 'Dispute fee',
    type: 'stripe_fee',
  };
  return {
    ...made,
    object: 'balance_transaction',
    amount,
    available_on: made.created,
    balance_type: 'payments',
    currency,
    description: isTaken ? 'Chargeback withdrawal' : 'Chargeback reversal',
    exchange_rate: null,
    fee,
    fee_details: isTaken ? [feeDetail] : [],
    net: amount - fee,
    reporting_category: isTaken ? 'dispute' : 'dispute_reversal',
    source: dispute.id,
    status: 'available',
    type: 'adjustment',
  };
}

export function setupIntentObject(made: Made, own: Pick<SetupIntent, 'customer'> & JsonObject): SetupIntent {
  return {
    ...made,
    object: 'setup_intent',
    client_secret: `${made.id}_secret_${made.id.slice(5)}`,
    livemode: false,
    metadata: {},
    payment_method: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    status: 'requires_payment_method',
    usage: 'off_session',
    ...nulls('allowed_payment_method_types application automatic_payment_methods cancellation_reason'),
    ...nulls('customer_account description excluded_payment_method_types flow_directions last_setup_error'),
    ...nulls(
      'latest_attempt mandate next_action on_behalf_of payment_method_configuration_details single_use_mandate',
    ),
    ...own,
  };
}

type SessionValues = 'mode' | 'amount_total' | 'currency' | 'success_url' | 'cancel_url' | 'expires_at';

export function sessionObject(
  made: Made,
  own: Pick<CheckoutSession, SessionValues | 'setup_intent' | 'customer' | 'url'> & JsonObject,
): CheckoutSession {
  const isPayment = own.mode === 'payment';
  return {
    ...made,
    object: 'checkout.session',
    adaptive_pricing: isPayment ? { enabled: false } : null,
    amount_subtotal: own.amount_total,
    automatic_tax: { enabled: false, ...nulls('liability provider status') },
    custom_fields: [],
    custom_text: nulls('after_submit shipping_address submit terms_of_service_acceptance'),
    discounts: isPayment ? [] : null,
    livemode: false,
    payment_intent: null,
    payment_method_collection: isPayment ? 'if_required' : 'always',
    payment_method_options: {},
    payment_status: isPayment ? 'unpaid' : 'no_payment_required',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: 'open',
    total_details: isPayment ? { amount_discount: 0, amount_shipping: 0, amount_tax: 0 } : null,
    ui_mode: 'hosted_page',
    ...nulls(
      'after_expiration allow_promotion_codes allowed_payment_method_types billing_address_collection',
    ),
    ...nulls(
      'client_secret collected_information consent consent_collection currency_conversion customer_account',
    ),
    ...nulls(
      'customer_creation customer_details customer_email integration_identifier invoice invoice_creation',
    ),
    ...nulls(
      'locale managed_payments origin_context payment_link payment_method_configuration_details permissions',
    ),
    ...nulls(
      'recovered_from saved_payment_method_options shipping_address_collection shipping_cost submit_type',
    ),
    ...nulls('subscription wallet_options'),
    ...own,
  };
}

export interface LineItemValues {
  readonly name: string;
  readonly description: string | null;
  readonly currency: string;
  readonly unitAmount: number;
  readonly quantity: number;
}

export function lineItemObject(
  newId: (prefix: string) => string,
  created: number,
  { name, description, currency, unitAmount, quantity }: LineItemValues,
): JsonObject {
  const amount = unitAmount * quantity;
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: description ?? name,
    metadata: {},
    price: {
      id: newId('price'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created,
      currency,
      livemode: false,
      metadata: {},
      product: newId('prod'),
      tax_behavior: 'unspecified',
      type: 'one_time',
      unit_amount: unitAmount,
      unit_amount_decimal: String(unitAmount),
      ...nulls('custom_unit_amount lookup_key nickname recurring tiers_mode transform_quantity'),
    },
    quantity,
  };
}
