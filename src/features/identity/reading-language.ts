import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Language, languages } from '../../shared/languages.ts';
import { plainMailAddress } from '../../shared/mail-addresses.ts';

const findLanguage: SqlStatement = {
  name: 'find_language_of_address',
  text: `select language from people
    where account_id = $1::int and removed_at is null and language is not null and (id = $1::int or lower(email) = $2)
    order by (id = $1::int), id limit 1`,
};

/** That of the person with this address, else of the own login. null: neither has chosen one. */
export async function languageAt(
  transaction: Queryable,
  accountId: number,
  address: string,
): Promise<Language | null> {
  const [row] = await transaction.query(findLanguage, [accountId, plainMailAddress(address)]);
  return languages.find((known) => known === row?.['language']) ?? null;
}
