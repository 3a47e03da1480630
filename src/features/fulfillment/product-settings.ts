// The product's address, secret and mode, in service_state. The only writer of those columns. The order batch reads the mode
// in its own transaction, so that no process can use an old one.
// Invariant: the secret is sealed, and only open() here reveals it.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import type { Seal, SealedTexts } from '../../platform/secrets/seal.ts';
import { type ProductMode, productModes } from '../../shared/product-states.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { giveUpProductCalls } from '../order-engine/records/product-call-rows.ts';

export interface ProductSettings {
  readonly mode: ProductMode;
  readonly url: string | null;
  readonly secretSealed: string | null;
  /** null: there is no test product, and test orders are not handed over. */
  readonly testUrl: string | null;
  readonly testSecretSealed: string | null;
}

export interface ProductChange {
  readonly mode: ProductMode;
  readonly url: string;
  /** A secret `whsec_…`; null leaves it unchanged. */
  readonly secret: string | null;
  /** null removes the test address; an absent field leaves it unchanged. */
  readonly test?: { readonly url: string; readonly secret: string | null } | null;
}

const find: SqlStatement = {
  name: 'find_product',
  text: `select product_mode, product_url, product_secret_sealed, product_test_url, product_test_secret_sealed
    from service_state`,
};

const findForUpdate: SqlStatement = { name: 'lock_product', text: `${find.text} for no key update` };

const update: SqlStatement = {
  name: 'update_product',
  text: `update service_state set product_mode = $1::text, product_url = $2::text, product_secret_sealed = $3::text,
      product_test_url = $4::text, product_test_secret_sealed = $5::text`,
};

const sealContext = 'product secret';

export async function findProduct(database: Queryable, statement = find): Promise<ProductSettings> {
  const [row] = await database.query(statement);
  return {
    mode: oneOf(productModes, row?.['product_mode'] ?? 'none'),
    url: nullable(String, row?.['product_url'] ?? null),
    secretSealed: nullable(String, row?.['product_secret_sealed'] ?? null),
    testUrl: nullable(String, row?.['product_test_url'] ?? null),
    testSecretSealed: nullable(String, row?.['product_test_secret_sealed'] ?? null),
  };
}

/** @throws if the secret was sealed under an unknown key */
export function openProductSecret(seal: Seal, secretSealed: string): string {
  return seal.open(secretSealed, sealContext);
}

/** Returns null if there is no secret and none was given, for the product or its test address. */
export function setProduct(
  database: Database,
  seal: Seal,
  { mode, url, secret, test }: ProductChange,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<ProductSettings | null> {
  return change(database, author, 'product.update', (before) => {
    const secretSealed = secret === null ? before.secretSealed : seal.seal(secret, sealContext);
    if (secretSealed === null) return null;
    if (test === null) return { mode, url, secretSealed, testUrl: null, testSecretSealed: null };
    const { testUrl, testSecretSealed } = before;
    if (test === undefined) return { mode, url, secretSealed, testUrl, testSecretSealed };
    const sealed = test.secret === null ? testSecretSealed : seal.seal(test.secret, sealContext);
    return sealed === null ? null : { mode, url, secretSealed, testUrl: test.url, testSecretSealed: sealed };
  });
}

export async function removeProduct(
  database: Database,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<void> {
  await change(database, author, 'product.delete', () => ({
    mode: 'none',
    url: null,
    secretSealed: null,
    testUrl: null,
    testSecretSealed: null,
  }));
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
    const { mode, url, secretSealed, testUrl, testSecretSealed } = after;
    await transaction.query(update, [mode, url, secretSealed, testUrl, testSecretSealed]);
    const auditView = (of: ProductSettings) => ({
      mode: of.mode,
      url: of.url,
      ...(of.testUrl === null ? {} : { test_url: of.testUrl }),
    });
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
  // Run outside the transaction: batches lock calls before service_state, which also holds the audit log's counter.
  if (changed?.mode === 'none') await giveUpProductCalls(database);
  return changed;
}

const replaceSealed: SqlStatement = {
  name: 'replace_product_secret',
  text: `update service_state set
      product_secret_sealed = case product_secret_sealed when $1::text then $2::text else product_secret_sealed end,
      product_test_secret_sealed =
        case product_test_secret_sealed when $1::text then $2::text else product_test_secret_sealed end`,
};

export const sealedProductSecrets: SealedTexts = {
  async list(database, after) {
    const { secretSealed, testSecretSealed } = await findProduct(database);
    return [secretSealed, testSecretSealed].flatMap((sealed, index) =>
      sealed === null || index + 1 <= after ? [] : [{ id: index + 1, sealed, context: sealContext }],
    );
  },
  async replace(database, changes) {
    for (const { from, to } of changes) await database.query(replaceSealed, [from, to]);
  },
};
