// The pages explain every refusal in their own words and the reader's language, not with texts meant for programs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorCatalog } from '../../src/shared/error-catalog.ts';

const read = (file: string) => readFileSync(new URL(`../../web/src/${file}`, import.meta.url), 'utf8');
const sentences = read('ui/error-sentences.tsx');
const german = read('locales/de/seldom.po');

/** Either t`A sentence.` itself, or the constant that the code names. */
function errorMessageOf(code: string): string | undefined {
  const [, own, name] = new RegExp(`^  ${code}:\\s+(?:t\`([^\`]+)\`|(\\w+)),$`, 'm').exec(sentences) ?? [];
  return own ?? new RegExp(`^const ${name} = t\`([^\`]+)\`;$`, 'm').exec(sentences)?.[1];
}

function germanOf(sentence: string): string | undefined {
  const place = german.indexOf(`msgid ${JSON.stringify(sentence)}\n`);
  return place === -1 ? undefined : /^msgstr "(.*)"$/m.exec(german.slice(place))?.[1];
}

test('each code of the contract has a sentence of the pages in English and in German', () => {
  for (const code of Object.keys(errorCatalog)) {
    const sentence = errorMessageOf(code);
    assert.ok(sentence !== undefined, code);
    const translated = germanOf(sentence);
    assert.ok(
      translated !== undefined && translated !== '' && translated !== sentence,
      `${code}: ${sentence}`,
    );
  }
  assert.equal(errorMessageOf('no_such_code'), undefined);
});
