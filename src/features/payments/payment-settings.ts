// How accounts pay in: the methods and their limits. The only writer of payment_settings.
// Invariant: the provider's secrets are stored sealed, and no answer or audit entry contains them.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { changesChannel, notifyChange, paymentsChanged } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import {
  boolean,
  cents,
  describeTable,
  int,
  nullableText,
  nullableTime,
  orNull,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import { randomBase62 } from '../../platform/secrets/random-text.ts';
import type { Seal, SealedTexts } from '../../platform/secrets/seal.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type TopupMethod, topupMethods } from '../../shared/topup-words.ts';

const paymentSettings = describeTable('payment_settings', {
  id: int('id'),
  /** Names this service at the provider. It never changes. */
  installation: text('installation'),
  cardEnabled: boolean('card_enabled'),
  cardKeySealed: nullableText('card_key_sealed'),
  cardWebhookSealed: nullableText('card_webhook_sealed'),
  cardWebhookPreviousSealed: nullableText('card_webhook_previous_sealed'),
  cardWebhookPreviousUntil: nullableTime('card_webhook_previous_until'),
  bankEnabled: boolean('bank_enabled'),
  bankHolder: nullableText('bank_holder'),
  bankIban: nullableText('bank_iban'),
  bankBic: nullableText('bank_bic'),
  minimumCents: cents('minimum_cents'),
  maximumCents: cents('maximum_cents'),
  dailyMaximumCents: orNull(cents('daily_maximum_cents')),
  changedAt: time('changed_at'),
});

type SettingsRow = RowOf<typeof paymentSettings>;

export type PaymentSettings = Omit<SettingsRow, 'id' | 'changedAt'>;

export interface PaymentChange {
  /** null removes the method. A secret that is null stays as it is. */
  readonly card: {
    readonly secretKey: string | null;
    readonly webhookSecret: string | null;
    readonly enabled: boolean;
  } | null;
  readonly bank: {
    readonly holder: string;
    readonly iban: string;
    readonly bic: string | null;
    readonly enabled: boolean;
  } | null;
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
  readonly dailyMaximumCents: bigint | null;
}

/** How long a webhook secret is accepted after its replacement. Stripe signs with both for at most a day. */
const previousSecretSeconds = 86_400;

const noCard: Pick<
  PaymentSettings,
  | 'cardEnabled'
  | 'cardKeySealed'
  | 'cardWebhookSealed'
  | 'cardWebhookPreviousSealed'
  | 'cardWebhookPreviousUntil'
> = {
  cardEnabled: false,
  cardKeySealed: null,
  cardWebhookSealed: null,
  cardWebhookPreviousSealed: null,
  cardWebhookPreviousUntil: null,
};

const noPayments: PaymentSettings = {
  installation: '',
  ...noCard,
  bankEnabled: false,
  bankHolder: null,
  bankIban: null,
  bankBic: null,
  minimumCents: 1_000n,
  maximumCents: 1_000_000n,
  dailyMaximumCents: null,
};

const find: SqlStatement = {
  name: 'find_payment_settings',
  text: `select ${paymentSettings.list('p')} from payment_settings p`,
};

/** Concurrent changes wait for each other, also before the first row exists. */
const lock: SqlStatement = {
  name: 'lock_payment_settings',
  text: 'lock table payment_settings in exclusive mode',
};

const put = paymentSettings.insert(
  'put_payment_settings',
  `on conflict (id) do update set ${paymentSettings.names
    .filter((name) => name !== 'id')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`,
);

const keyContext = 'payment provider key';
const webhookContext = 'payment provider webhook secret';

export async function findPaymentSettings(database: Queryable): Promise<PaymentSettings> {
  const [row] = await database.query(find);
  return row === undefined ? noPayments : paymentSettings.parse(row);
}

export function changePaymentSettings(
  database: Database,
  seal: Seal,
  change: PaymentChange,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<PaymentSettings | Refusal> {
  return database.transaction(async (transaction) => {
    await transaction.query(lock);
    const before = await findPaymentSettings(transaction);
    const card = cardOf(before, change.card, seal, now);
    if ('code' in card) return card;
    const { bank, minimumCents, maximumCents, dailyMaximumCents } = change;
    const after: PaymentSettings = {
      installation: before.installation || randomBase62(22),
      ...card,
      bankEnabled: bank?.enabled ?? false,
      bankHolder: bank?.holder ?? null,
      bankIban: bank?.iban ?? null,
      bankBic: bank?.bic ?? null,
      minimumCents,
      maximumCents,
      dailyMaximumCents,
    };
    await writeRows(transaction, put, [{ ...after, id: 1, changedAt: now }]);
    await transaction.query(notifyChange, [changesChannel, paymentsChanged]);
    const secrets = [
      ...(after.cardKeySealed !== before.cardKeySealed ? ['secret_key'] : []),
      ...(after.cardWebhookSealed !== before.cardWebhookSealed ? ['webhook_secret'] : []),
    ];
    await appendAudit(
      transaction,
      {
        ...author,
        action: 'payments.update',
        subject: 'payments',
        before: auditView(before),
        after: { ...auditView(after), ...(secrets.length === 0 ? {} : { secrets_changed: secrets }) },
      },
      now,
    );
    return after;
  });
}

type CardSettings = typeof noCard;

function cardOf(
  before: PaymentSettings,
  change: PaymentChange['card'],
  seal: Seal,
  now: EpochSeconds,
): CardSettings | Refusal {
  if (change === null) return noCard;
  const cardKeySealed = sealedUnlessSame(seal, keyContext, before.cardKeySealed, change.secretKey);
  if (cardKeySealed === null) return neededFirst('secret_key');
  const cardWebhookSealed = sealedUnlessSame(
    seal,
    webhookContext,
    before.cardWebhookSealed,
    change.webhookSecret,
  );
  if (cardWebhookSealed === null) return neededFirst('webhook_secret');
  const isReplaced = before.cardWebhookSealed !== null && cardWebhookSealed !== before.cardWebhookSealed;
  return {
    cardEnabled: change.enabled,
    cardKeySealed,
    cardWebhookSealed,
    cardWebhookPreviousSealed: isReplaced ? before.cardWebhookSealed : before.cardWebhookPreviousSealed,
    cardWebhookPreviousUntil: isReplaced ? now + previousSecretSeconds : before.cardWebhookPreviousUntil,
  };
}

/** Keeps the stored text if the same secret, or none, was sent. */
function sealedUnlessSame(
  seal: Seal,
  context: string,
  sealed: string | null,
  sent: string | null,
): string | null {
  if (sent === null || (sealed !== null && seal.open(sealed, context) === sent)) return sealed;
  return seal.seal(sent, context);
}

function neededFirst(field: string): Refusal {
  return fieldRefusal('validation_failed', `methods.card.${field}`, 'is needed the first time');
}

/** The key of a demo, whose provider is the stand-in that the demo starts. */
export const demoCardKey = 'sk_test_demo';

/** @throws if the key was sealed under an unknown SECRET_KEY */
export function openCardKey(seal: Seal, cardKeySealed: string): string {
  return seal.open(cardKeySealed, keyContext);
}

export function isTestKey(cardKey: string): boolean {
  return cardKey.slice(2).startsWith('_test_');
}

/** The webhook secrets that are accepted now. @throws if they were sealed under an unknown SECRET_KEY */
export function openWebhookSecrets(seal: Seal, settings: PaymentSettings, now: EpochSeconds): string[] {
  const { cardWebhookSealed, cardWebhookPreviousSealed, cardWebhookPreviousUntil } = settings;
  const previous =
    cardWebhookPreviousUntil !== null && now < cardWebhookPreviousUntil ? cardWebhookPreviousSealed : null;
  return [cardWebhookSealed, previous].flatMap((sealed) =>
    sealed === null ? [] : [seal.open(sealed, webhookContext)],
  );
}

/** How accounts can top up. Kept in every process, so that neither orders, pages nor webhooks ask the database. */
export interface PaymentMethods {
  areOn(): boolean;
  offered(): OfferedTopups;
  /** The same object until they change. Another process's change arrives a little later. */
  settings(): PaymentSettings;
  reload(): Promise<void>;
}

export interface OfferedTopups {
  readonly methods: TopupMethod[];
  readonly minimum: string;
  readonly maximum: string;
}

export async function createPaymentMethods(database: Queryable): Promise<PaymentMethods> {
  let settings: PaymentSettings = noPayments;
  let offered = offeredIn(settings);
  const methods: PaymentMethods = {
    areOn: () => offered.methods.length > 0,
    offered: () => offered,
    settings: () => settings,
    async reload() {
      settings = await findPaymentSettings(database);
      offered = offeredIn(settings);
    },
  };
  await methods.reload();
  return methods;
}

function offeredIn({ cardEnabled, bankEnabled, minimumCents, maximumCents }: PaymentSettings): OfferedTopups {
  const areOn = { card: cardEnabled, bank_transfer: bankEnabled };
  return {
    methods: topupMethods.filter((method) => areOn[method]),
    minimum: formatAmount(minimumCents),
    maximum: formatAmount(maximumCents),
  };
}

function auditView(of: PaymentSettings) {
  return {
    card: of.cardKeySealed === null ? null : { enabled: of.cardEnabled },
    bank_transfer:
      of.bankIban === null
        ? null
        : { holder: of.bankHolder, iban: of.bankIban, bic: of.bankBic, enabled: of.bankEnabled },
    minimum: formatAmount(of.minimumCents),
    maximum: formatAmount(of.maximumCents),
    daily_maximum: of.dailyMaximumCents === null ? null : formatAmount(of.dailyMaximumCents),
  };
}

const sealedColumns = [
  ['card_key_sealed', 'cardKeySealed', keyContext],
  ['card_webhook_sealed', 'cardWebhookSealed', webhookContext],
  ['card_webhook_previous_sealed', 'cardWebhookPreviousSealed', webhookContext],
] as const;

const replaceSealed: SqlStatement = {
  name: 'replace_payment_secrets',
  text: `update payment_settings set ${sealedColumns
    .map(([column]) => `${column} = case ${column} when $1::text then $2::text else ${column} end`)
    .join(', ')}`,
};

export const sealedPaymentSecrets: SealedTexts = {
  async list(database, after) {
    const settings = await findPaymentSettings(database);
    return sealedColumns.flatMap(([, name, context], index) => {
      const sealed = settings[name];
      return sealed === null || index + 1 <= after ? [] : [{ id: index + 1, sealed, context }];
    });
  },
  async replace(database, changes) {
    for (const { from, to } of changes) await database.query(replaceSealed, [from, to]);
  },
};
