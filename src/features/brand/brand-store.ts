// The operator's brand, cached in every process and reloaded on NOTIFY. The only writer of brand.

import { createHash } from 'node:crypto';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { brandChanged, changesChannel } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import {
  describeTable,
  int,
  nullableInt,
  nullableText,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type Language, languages } from '../../shared/languages.ts';
import type { LogoImage } from '../../shared/logo-image.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const brands = describeTable('brand', {
  id: int('id'),
  version: int('version'),
  name: nullableText('name'),
  color: nullableText('colour'),
  letterhead: text('letterhead'),
  supportAddress: nullableText('support_address'),
  language: oneOf('language', languages),
  logoType: orNull(oneOf('logo_type', ['image/png', 'image/jpeg'])),
  logoData: nullableText('logo_data'),
  logoWidth: nullableInt('logo_width'),
  logoHeight: nullableInt('logo_height'),
  changedAt: time('changed_at'),
});
type BrandRow = RowOf<typeof brands>;

export interface BrandLogo extends LogoImage {
  readonly etag: string;
}

export interface BrandSettings {
  readonly name: string | null;
  /** For example "#1d4ed8". null uses the product's own color. */
  readonly color: string | null;
  readonly letterhead: readonly string[];
  readonly supportAddress: string | null;
  readonly language: Language;
}

export interface Brand extends BrandSettings {
  /** 0 if the brand was never set. Every change increments it. */
  readonly version: number;
  readonly logo: BrandLogo | null;
}

export interface BrandHolder {
  current(): Brand;
  reload(): Promise<Brand>;
}

const noBrand: Brand = {
  version: 0,
  name: null,
  color: null,
  letterhead: [],
  supportAddress: null,
  language: 'en',
  logo: null,
};

const find: SqlStatement = { name: 'find_brand', text: `select ${brands.list('b')} from brand b` };
const findForUpdate: SqlStatement = { name: 'lock_brand', text: `${find.text} for update` };
const insertFirst: SqlStatement = {
  name: 'insert_brand',
  text: `insert into brand (id, version, letterhead, language, changed_at)
    values (1, 0, '', 'en', to_timestamp($1::bigint)) on conflict do nothing`,
};
const update = brands.update('update_brand', ['id']);
const announce: SqlStatement = { name: 'tell_brand', text: 'select pg_notify($1, $2)' };

export async function createBrandHolder(database: Queryable): Promise<BrandHolder> {
  let current = await load();

  async function load(): Promise<Brand> {
    const [row] = await database.query(find);
    return row === undefined ? noBrand : brandOf(brands.parse(row));
  }

  return {
    current: () => current,
    async reload() {
      current = await load();
      return current;
    },
  };
}

export function changeBrand(
  database: Database,
  settings: BrandSettings,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<Brand> {
  return change(database, author, 'brand.update', (row) => ({
    ...row,
    ...settings,
    letterhead: settings.letterhead.join('\n'),
  }));
}

export function changeLogo(
  database: Database,
  logo: LogoImage | null,
  author: AuditAuthor & { readonly now: EpochSeconds },
): Promise<Brand> {
  const changed = {
    logoType: logo?.type ?? null,
    logoData: logo?.bytes.toString('base64') ?? null,
    logoWidth: logo?.width ?? null,
    logoHeight: logo?.height ?? null,
  };
  const action = logo === null ? 'brand.remove_logo' : 'brand.set_logo';
  return change(database, author, action, (row) => ({ ...row, ...changed }));
}

async function change(
  database: Database,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
  action: string,
  decide: (before: BrandRow) => BrandRow,
): Promise<Brand> {
  return database.transaction(async (transaction) => {
    await transaction.query(insertFirst, [now]);
    const [row] = await transaction.query(findForUpdate);
    const before = brands.parse(row ?? {});
    const after = { ...decide(before), version: before.version + 1, changedAt: now };
    await writeRows(transaction, update, [after]);
    await transaction.query(announce, [changesChannel, brandChanged]);
    const views = { before: auditView(before), after: auditView(after) };
    await appendAudit(transaction, { ...author, action, subject: 'brand', ...views }, now);
    return brandOf(after);
  });
}

function brandOf({ logoType, logoData, logoWidth, logoHeight, ...row }: BrandRow): Brand {
  const { version, name, color, supportAddress, language } = row;
  const settings = { version, name, color, letterhead: linesOf(row.letterhead), supportAddress, language };
  if (logoType === null || logoData === null || logoWidth === null || logoHeight === null) {
    return { ...settings, logo: null };
  }
  const bytes = Buffer.from(logoData, 'base64');
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { ...settings, logo: { type: logoType, bytes, width: logoWidth, height: logoHeight, etag } };
}

/** Uses the API's names. Of the logo it contains only the size. */
function auditView({ name, color, letterhead, supportAddress, language, ...row }: BrandRow): JsonObject {
  const logo = row.logoWidth === null ? null : { width: row.logoWidth, height: row.logoHeight };
  return {
    name,
    colour: color,
    letterhead: linesOf(letterhead),
    support_address: supportAddress,
    language,
    logo,
  };
}

function linesOf(letterhead: string): string[] {
  return letterhead === '' ? [] : letterhead.split('\n');
}
