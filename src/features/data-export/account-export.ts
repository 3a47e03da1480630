// Writes everything that an account has into a folder: for each kind of data one file of JSON lines and one of CSV, and
// manifest.json, which is written last. The caller gives one snapshot, so that the ledger adds up to the balance.

import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Queryable } from '../../platform/database/database.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { formatTime } from '../../shared/times.ts';
import { programVersion } from '../../shared/version.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import { accountView } from '../identity/account-view.ts';
import { type AccountToExport, kindsOfAccount } from './account-export-kinds.ts';

export interface ExportManifest {
  readonly sellthrough_export: 1;
  readonly made_at: string;
  readonly program_version: string;
  readonly account: ReturnType<typeof accountView>;
  readonly currency: string;
  readonly balance: string;
  /** The sum of all entries in the ledger file. */
  readonly ledger_total: string;
  readonly files: readonly {
    readonly kind: string;
    readonly about: string;
    readonly rows: number;
    readonly json: string;
    readonly csv: string;
  }[];
  readonly left_out: string;
}

/** `folder` exists and is empty. */
export async function writeAccountExport(
  snapshot: Queryable,
  wanted: AccountToExport,
  folder: string,
): Promise<ExportManifest> {
  const { account, currency, now } = wanted;
  let ledgerCents = 0n;
  const kinds = kindsOfAccount(snapshot, wanted, (entries) => {
    for (const { entry } of entries) ledgerCents += entry.amountCents;
  });
  const files: ExportManifest['files'][number][] = [];
  for (const { name: kind, about, objects, csv } of kinds) {
    const file = { kind, about, rows: 0, json: `${kind}.jsonl`, csv: `${kind}.csv` };
    await write(
      join(folder, file.json),
      linesOf(objects(), (rows) => {
        file.rows += rows;
      }),
    );
    await write(join(folder, file.csv), csv());
    files.push(file);
  }
  const isTotpEnabled = (await findTotpHolders(snapshot, [account.id])).has(account.id);
  const manifest: ExportManifest = {
    sellthrough_export: 1,
    made_at: formatTime(now),
    program_version: programVersion,
    account: accountView(account, currency, isTotpEnabled),
    currency,
    balance: formatAmount(account.balanceCents),
    ledger_total: formatAmount(ledgerCents),
    files,
    left_out:
      'Passwords, second factors, and secrets of keys and webhooks. The test account, kept request bodies, deliveries of webhooks, and the audit log. Monthly statements and receipts are made from the ledger.',
  };
  await write(join(folder, 'manifest.json'), [`${JSON.stringify(manifest, null, 2)}\n`]);
  return manifest;
}

async function write(path: string, chunks: AsyncIterable<string> | Iterable<string>): Promise<void> {
  await pipeline(Readable.from(chunks), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
}

async function* linesOf(
  pages: AsyncIterable<readonly object[]>,
  count: (rows: number) => void,
): AsyncGenerator<string> {
  for await (const page of pages) {
    count(page.length);
    yield page.map((item) => `${JSON.stringify(item)}\n`).join('');
  }
}
