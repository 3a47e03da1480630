// Which passwords are refused although they are long enough: those that whoever guesses tries first. Asked wherever one
// is chosen: in the panel, by an administrator, in ADMIN_PASSWORD (docs/decisions/0023-secrets-of-people.md).
// Always true: what it says can be shown, it holds nothing of the password.

import { fieldRefusal, type Refusal } from '../../shared/error-catalogue.ts';

interface Named {
  readonly username: string;
  readonly displayName: string;
}

/** The refusal of the field that holds a password somebody chose; null: it may be taken. */
export async function chosenPasswordRefusal(
  field: string,
  password: string,
  { username, displayName }: Named,
): Promise<Refusal | null> {
  const problem = await passwordProblem(password, [username, displayName]);
  return problem === null ? null : fieldRefusal('validation_failed', field, problem);
}

/** Why nobody should have it, after "The password …"; null: it may be taken. `names`: of the account. */
export async function passwordProblem(password: string, names: readonly string[]): Promise<string | null> {
  const plain = password.normalize('NFKC').toLowerCase();
  const bare = withoutSigns(plain);
  const word = [...names, productName]
    .map((name) => withoutSigns(name.normalize('NFKC').toLowerCase()))
    .find((name) => name.length >= nameLengthMin && bare.includes(name));
  if (word !== undefined) return 'must not contain the name of the account or of this program';
  return isEasilyGuessed(plain, await commonPasswords())
    ? 'is one of the most used passwords, or one of them with a little more'
    : null;
}

const productName = 'sellthrough';
/** A shorter name stands in too many honest words. */
const nameLengthMin = 4;

let commonOnce: Promise<ReadonlySet<string>> | undefined;

/** 49,000, read when the first password is chosen: few processes ever need them. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  commonOnce ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return commonOnce;
}

/** The list, and what people make of it to reach the length: twice the same, a year behind it, two of them in a row. */
function isEasilyGuessed(plain: string, common: ReadonlySet<string>): boolean {
  // A piece that is shorter than a password may be, over and over.
  if (common.has(plain) || /^(.{1,11})\1+$/su.test(plain)) return true;
  const core = plain.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  // So many are no decoration: they are the password.
  if (new Set(plain.replace(core, '')).size > differentSignsMax) return false;
  const isWeak = (part: string) => part.length <= 2 || common.has(part) || /^\d+$|^(.)\1+$/su.test(part);
  for (let end = 0; end <= core.length; end += 1) {
    if (isWeak(core.slice(0, end)) && isWeak(core.slice(end))) return true;
  }
  return false;
}

/** Before and behind a word. */
const differentSignsMax = 4;

function withoutSigns(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
