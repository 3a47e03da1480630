// Where the operator's product is called, with which secret, and whether orders wait for its answer: columns of
// service_state. The order batch reads the mode in its own transaction, together with the version of the packages, so no
// process can go on with an old one; whoever calls the product reads the rest here, before each round. The only writer
// of those columns.
// Always true: the secret is sealed, and nothing but an open() here brings it back.

import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { nullable, oneOf } from '../database/row-values.ts';
import { type AuditAuthor, appendAudit } from '../journal/audit-log.ts';
import { giveUpProductCalls } from '../journal/product-call.ts';
import type { Seal, SealedTexts } from './seal.ts';

/**
 * `none`: nobody is told. `notify`: the product is told of what has happened. `confirm`: an order counts when the
 * product has taken it.
 */
export const productModes = ['none', 'notify', 'confirm'] as const;
export type ProductMode = (typeof productModes)[number];

export interface ProductSettings {
  readonly mode: ProductMode;
  /** null: none was ever set, or it was removed. */
  readonly url: string | null;
  /** null: none was ever set, or it was removed. */
  readonly secretSealed: string | null;
}

export interface ProductChange {
  readonly mode: ProductMode;
  readonly url: string;
  /** `whsec_…`; null: the one that is set stays. */
  readonly secret: string | null;
}

const find: Statement = {
  name: 'find_product',
  text: 'select product_mode, product_url, product_secret_sealed from service_state',
};

const findForUpdate: Statement = { name: 'lock_product', text: `${find.text} for no key update` };

const update: Statement = {
  name: 'update_product',
  text: `update service_state set product_mode = $1::text, product_url = $2::text, product_secret_sealed = $3::text`,
};

const sealContext = 'product secret';

export function parseProductMode(value: unknown): ProductMode {
  return oneOf(productModes, value);
}

export async function findProduct(database: Queryable, statement = find): Promise<ProductSettings> {
  const [row] = await database.query(statement);
  return {
    mode: parseProductMode(row?.['product_mode'] ?? 'none'),
    url: nullable(String, row?.['product_url'] ?? null),
    secretSealed: nullable(String, row?.['product_secret_sealed'] ?? null),
  };
}

/** @throws when it was sealed under a key that is not known here */
export function openProductSecret(seal: Seal, secretSealed: string): string {
  return seal.open(secretSealed, sealContext);
}

/** null: there is no secret yet, and none was sent. */
export function setProduct(
  database: Database,
  seal: Seal,
  { mode, url, secret }: ProductChange,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<ProductSettings | null> {
  return change(database, author, 'product.update', (before) => {
    const secretSealed = secret === null ? before.secretSealed : seal.seal(secret, sealContext);
    return secretSealed === null ? null : { mode, url, secretSealed };
  });
}

export async function removeProduct(
  database: Database,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<void> {
  await change(database, author, 'product.delete', () => ({ mode: 'none', url: null, secretSealed: null }));
}

async function change(
  database: Database,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
  action: string,
  decide: (before: ProductSettings) => ProductSettings | null,
): Promise<ProductSettings | null> {
  const changed = await database.transaction(async (transaction) => {
    const before = await findProduct(transaction, findForUpdate);
    const after = decide(before);
    if (after === null) return null;
    await transaction.query(update, [after.mode, after.url, after.secretSealed]);
    const auditView = ({ mode, url }: ProductSettings) => ({ mode, url });
    const views = { before: auditView(before), after: auditView(after) };
    const isNewSecret = after.secretSealed !== before.secretSealed && after.secretSealed !== null;
    await appendAudit(
      transaction,
      {
        ...author,
        action,
        subject: 'product',
        ...views,
        after: isNewSecret ? { ...views.after, secret_changed: true } : views.after,
      },
      now,
    );
    return after;
  });
  // Not in that transaction: batches lock calls before service_state, where the audit log's counter is.
  if (changed?.mode === 'none') await giveUpProductCalls(database);
  return changed;
}

const replaceSealed: Statement = {
  name: 'replace_product_secret',
  text: 'update service_state set product_secret_sealed = $2::text where product_secret_sealed = $1::text',
};

/** For whoever walks through everything that is sealed: there is one, or none. */
export const sealedProductSecrets: SealedTexts = {
  async list(database, after) {
    const { secretSealed } = await findProduct(database);
    return after > 0 || secretSealed === null ? [] : [{ id: 1, sealed: secretSealed, context: sealContext }];
  },
  async replace(database, changes) {
    for (const { from, to } of changes) await database.query(replaceSealed, [from, to]);
  },
};
