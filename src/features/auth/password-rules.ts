// Refuses passwords that attackers try first, wherever a password is chosen (docs/decisions/0023-secrets-of-people.md).
// Invariant: the reason contains no part of the password.

import { fieldRefusal, type Refusal } from '../../shared/error-catalog.ts';

interface Named {
  readonly username: string;
  readonly displayName: string;
}

export async function chosenPasswordRefusal(
  field: string,
  password: string,
  { username, displayName }: Named,
): Promise<Refusal | null> {
  const problem = await passwordProblem(password, [username, displayName]);
  return problem === null ? null : fieldRefusal('validation_failed', field, problem);
}

/** Returns words that continue "The password …", or null if it is acceptable. */
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
const nameLengthMin = 4;

let commonOnce: Promise<ReadonlySet<string>> | undefined;

/** 49,000 words, loaded on first use: few processes need them. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  commonOnce ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return commonOnce;
}

function isEasilyGuessed(plain: string, common: ReadonlySet<string>): boolean {
  if (common.has(plain) || /^(.{1,11})\1+$/su.test(plain)) return true;
  const core = plain.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  if (new Set(plain.replace(core, '')).size > differentSignsMax) return false;
  const isWeak = (part: string) => part.length <= 2 || common.has(part) || /^\d+$|^(.)\1+$/su.test(part);
  for (let end = 0; end <= core.length; end += 1) {
    if (isWeak(core.slice(0, end)) && isWeak(core.slice(end))) return true;
  }
  return false;
}

const differentSignsMax = 4;

function withoutSigns(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
