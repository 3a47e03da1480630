// The second factor: TOTP (RFC 6238: six digits, 30 seconds, SHA-1, one step of tolerance each way) and ten recovery codes.
// The only writer of totp_secrets and recovery_codes.
// Invariant: each code and each recovery code works once, even under simultaneous requests.

import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { type Seal, type SealedTexts, sealedChangeValues } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Person, personAction } from '../identity/people-table.ts';

export interface TotpStore {
  isEnabled(personId: number): Promise<boolean>;
  /** Stores a pending secret. Returns null if TOTP is already enabled. */
  begin(
    person: TotpHolder,
    serviceName: string | null,
    now: EpochSeconds,
  ): Promise<{ secret: string; uri: string } | null>;
  stateOf(personId: number, now: EpochSeconds): Promise<'off' | 'begun' | 'on'>;
  /** Returns the recovery codes, which are never shown again. By default for the author’s own login. false: wrong code. */
  enable(
    author: AuditAuthor & { readonly now: EpochSeconds },
    code: string,
    person?: Holder,
  ): Promise<readonly string[] | false>;
  spend(personId: number, code: string, now: EpochSeconds): Promise<boolean>;
  disable(person: Holder, actor: AuditAuthor & { readonly now: EpochSeconds }): Promise<boolean>;
  /** Call in the transaction that removes the person. */
  forget(transaction: Queryable, personId: number): Promise<void>;
  deleteExpired(now: EpochSeconds): Promise<void>;
}

type Holder = Pick<Person, 'id' | 'accountId'>;
type TotpHolder = Pick<Person, 'id' | 'username'>;

const productName = 'Sellthrough';
const stepSeconds = 30;
const toleranceSteps = 1;
const secretBytes = 20;
const recoveryCodeCount = 10;
/** 140 bits, so a plain hash is enough (docs/decisions/0023-secrets-of-people.md). Older codes have 80 or 120 bits. */
const recoveryLetters = 28;
const recoveryBytes = Math.ceil((recoveryLetters * 5) / 8);

const findSecret: SqlStatement = {
  name: 'find_totp_secret',
  text: `select sealed_secret, enabled_at is not null as is_enabled from totp_secrets
    where person_id = $1::int and (enabled_at is not null or created_at > to_timestamp($2::bigint))`,
};

const findEnabled: SqlStatement = {
  name: 'find_enabled_totp',
  text: 'select person_id from totp_secrets where person_id = any($1::int[]) and enabled_at is not null',
};

const insertPending: SqlStatement = {
  name: 'insert_totp_secret',
  text: `insert into totp_secrets (person_id, sealed_secret, created_at)
    values ($1::int, $2, to_timestamp($3::bigint))
    on conflict (person_id) do update set sealed_secret = excluded.sealed_secret,
      created_at = excluded.created_at, last_step = 0
    where totp_secrets.enabled_at is null
    returning 1`,
};

const enableSecret: SqlStatement = {
  name: 'enable_totp',
  text: `update totp_secrets set enabled_at = to_timestamp($3::bigint), last_step = $4::bigint
    where person_id = $1::int and sealed_secret = $2 and enabled_at is null returning 1`,
};

const spendStep: SqlStatement = {
  name: 'spend_totp_step',
  text: `update totp_secrets set last_step = $3::bigint
    where person_id = $1::int and sealed_secret = $2 and enabled_at is not null and last_step < $3::bigint
    returning 1`,
};

const insertRecoveryCodes: SqlStatement = {
  name: 'insert_recovery_codes',
  text: 'insert into recovery_codes (person_id, code_hash) select $1::int, hash from unnest($2::text[]) hash',
};

const spendRecoveryCode: SqlStatement = {
  name: 'spend_recovery_code',
  text: `update recovery_codes set used_at = to_timestamp($3::bigint)
    where person_id = $1::int and code_hash = $2 and used_at is null returning 1`,
};

const deleteRecoveryCodes: SqlStatement = {
  name: 'delete_recovery_codes',
  text: 'delete from recovery_codes where person_id = $1::int',
};

const deleteSecret: SqlStatement = {
  name: 'delete_totp_secret',
  text: 'delete from totp_secrets where person_id = $1::int returning enabled_at is not null as was_enabled',
};

const deletePending: SqlStatement = {
  name: 'delete_pending_totp_secrets',
  text: 'delete from totp_secrets where enabled_at is null and created_at <= to_timestamp($1::bigint)',
};

/** A new secret waits `pendingSeconds` for its first code. */
export function createTotpStore(database: Database, seal: Seal, pendingSeconds: number): TotpStore {
  async function find(personId: number, now: EpochSeconds) {
    const [row] = await database.query(findSecret, [personId, now - pendingSeconds]);
    if (row === undefined) return null;
    return { sealed: String(row['sealed_secret']), isEnabled: row['is_enabled'] === true };
  }

  function stepOf(personId: number, sealed: string, code: string, now: EpochSeconds): number | null {
    const secret = Secret.fromBase32(seal.open(sealed, sealContext(personId)));
    const delta = TOTP.validate({
      token: code,
      secret,
      period: stepSeconds,
      window: toleranceSteps,
      timestamp: now * 1000,
    });
    return delta === null ? null : Math.floor(now / stepSeconds) + delta;
  }

  return {
    async isEnabled(personId) {
      return (await findTotpHolders(database, [personId])).has(personId);
    },

    async stateOf(personId, now) {
      const known = await find(personId, now);
      if (known === null) return 'off';
      return known.isEnabled ? 'on' : 'begun';
    },

    async begin({ id, username }, serviceName, now) {
      const secret = new Secret({ size: secretBytes });
      const sealed = seal.seal(secret.base32, sealContext(id));
      const rows = await database.query(insertPending, [id, sealed, now]);
      if (rows.length === 0) return null;
      // In this URI a colon would end the name.
      const issuer = (serviceName ?? productName).replaceAll(':', ' ');
      const uri = new TOTP({ issuer, label: username, secret, period: stepSeconds }).toString();
      return { secret: secret.base32, uri };
    },

    async enable({ now, ...author }, code, person = ownLoginOf(author.actorId)) {
      const { id } = person;
      const known = await find(id, now);
      if (known === null || known.isEnabled) return false;
      const step = stepOf(id, known.sealed, normalized(code), now);
      if (step === null) return false;
      const codes = Array.from({ length: recoveryCodeCount }, mintRecoveryCode);
      return database.transaction(async (transaction) => {
        const rows = await transaction.query(enableSecret, [id, known.sealed, now, step]);
        // Another request started over or enabled it meanwhile.
        if (rows.length === 0) return false;
        await transaction.query(deleteRecoveryCodes, [id]);
        await transaction.query(insertRecoveryCodes, [id, textArray(codes.map(hashOf))]);
        await audit(transaction, 'enable_totp', person, { ...author, now });
        return codes;
      });
    },

    async spend(personId, code, now) {
      const sent = normalized(code);
      if (/^\d{6}$/.test(sent)) {
        for (let earlier = ''; ; ) {
          const known = await find(personId, now);
          const step = known === null ? null : stepOf(personId, known.sealed, sent, now);
          if (known === null || step === null || known.sealed === earlier) return false;
          if ((await database.query(spendStep, [personId, known.sealed, step])).length > 0) return true;
          // The code was already used, unless the row has just been sealed again under a new key.
          earlier = known.sealed;
        }
      }
      const rows = await database.query(spendRecoveryCode, [personId, hashOf(sent), now]);
      return rows.length > 0;
    },

    disable: (person, actor) => disableTotp(database, person, actor),

    async forget(transaction, personId) {
      await transaction.query(deleteSecret, [personId]);
      await transaction.query(deleteRecoveryCodes, [personId]);
    },

    async deleteExpired(now) {
      await database.query(deletePending, [now - pendingSeconds]);
    },
  };
}

const listSealed: SqlStatement = {
  name: 'list_sealed_secrets',
  text: `select person_id, sealed_secret from totp_secrets where person_id > $1::int order by person_id limit 200`,
};

const replaceSealed: SqlStatement = {
  name: 'replace_sealed_secrets',
  text: `update totp_secrets t set sealed_secret = new.sealed
    from unnest($1::int[], $2::text[], $3::text[]) as new (id, earlier, sealed)
    where t.person_id = new.id and t.sealed_secret = new.earlier`,
};

export const sealedSecrets: SealedTexts = {
  async list(database, after) {
    const rows = await database.query(listSealed, [after]);
    return rows.map((row) => {
      const id = Number(row['person_id']);
      return { id, sealed: String(row['sealed_secret']), context: sealContext(id) };
    });
  },
  async replace(database, changes) {
    await database.query(replaceSealed, sealedChangeValues(changes));
  },
};

export async function findTotpHolders(
  database: Queryable,
  personIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (personIds.length === 0) return new Set();
  const rows = await database.query(findEnabled, [numberArray(personIds)]);
  return new Set(rows.map((row) => Number(row['person_id'])));
}

export function disableTotp(
  database: Database,
  person: Holder,
  actor: AuditAuthor & { readonly now: EpochSeconds },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(deleteSecret, [person.id]);
    await transaction.query(deleteRecoveryCodes, [person.id]);
    if (row?.['was_enabled'] !== true) return false;
    await audit(transaction, 'disable_totp', person, actor);
    return true;
  });
}

function audit(
  transaction: Queryable,
  action: string,
  person: Holder,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<void> {
  return appendAudit(
    transaction,
    { ...author, ...personAction(person, action), before: null, after: null },
    now,
  );
}

function ownLoginOf(accountId: number): Holder {
  return { id: accountId, accountId };
}

function mintRecoveryCode(): string {
  const text = new Secret({ size: recoveryBytes }).base32.slice(0, recoveryLetters).toLowerCase();
  return text.match(/.{4}/g)?.join('-') ?? text;
}

function normalized(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

function hashOf(code: string): string {
  return createHash('sha256').update(normalized(code)).digest('base64url');
}

/** Binds the secret to its person, so that swapped rows do not open. The text is from when an account had one person. */
function sealContext(personId: number): string {
  return `totp secret of account ${personId}`;
}
