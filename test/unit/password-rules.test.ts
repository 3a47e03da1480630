import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from '../../src/features/auth/password-rules.ts';
import { mintPassword } from '../../src/platform/secrets/password-hash.ts';

const names = ['contoso-eu', 'Contoso Europe', 'Ann'];
const common = 'is one of the most used passwords, or one of them with a little more';
const named = 'must not contain the name of the account or of this program';

const table: readonly (readonly [password: string, problem: string | null])[] = [
  // As in the list, and in capitals.
  ['1q2w3e4r5t6y', common],
  ['Administrator', common],
  ['ADMINISTRATOR', common],
  // Short passwords that were padded to twelve characters.
  ['Password2026', common],
  ['Password2026!', common],
  ['!!liverpool1!!', common],
  ['2026superman', common],
  ['iloveyouiloveyou', common],
  ['sunshineprincess', common],
  ['qwerty!!!!!!!!', common],
  ['ｐａｓｓｗｏｒｄ２０２６', common],
  ['abcabcabcabcabc', common],
  ['111111111111', common],
  ['314159265358979323846', common],
  // The names of the account, its holder and the program, in any spelling.
  ['my-contoso-eu-key', named],
  ['my CONTOSO eu key', named],
  ['the-contoso-europe-shop', named],
  ['Contoso__Europe!2026', named],
  ['sell-through-forever', named],
  // A short name is part of too many words to be refused.
  ['savannah river cobalt', null],
  // Passphrases and random texts are accepted.
  ['correct horse battery staple', null],
  ['password of no one else', null],
  ['a password of mine', null],
  ['Ein Regenschirm im März', null],
  ['пароль из трёх слов', null],
  ['x7#kPq!2mVzL', null],
  ['!%&/()=?+*#-', null],
  ['"§$%&a/()=?`', null],
];

for (const [password, problem] of table) {
  test(`"${password}" ${problem === null ? 'is taken' : problem}`, async () => {
    assert.equal(await passwordProblem(password, names), problem);
  });
}

test('a minted password is taken', async () => {
  for (let count = 0; count < 100; count += 1)
    assert.equal(await passwordProblem(mintPassword(), names), null);
});
