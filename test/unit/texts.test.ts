// The service's texts agree in every language: no value is missing or added, and no value can leave its place.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { englishTexts, type TextKey } from '../../src/platform/text/english-texts.ts';
import { germanTexts } from '../../src/platform/text/german-texts.ts';
import { translatorOf } from '../../src/platform/text/translator.ts';
import { languages } from '../../src/shared/languages.ts';

const keys = Object.keys(englishTexts) as TextKey[];

const literal = 0;

/** "{count, plural, one {one day} other {# days}}" names the value count. The pieces of the plural are not values. */
const valuesOf = (text: string) => {
  const named = new Set<string>();
  const gather = (elements: ReturnType<IntlMessageFormat['getAst']>): void => {
    for (const element of elements) {
      if ('value' in element && element.type !== literal) named.add(element.value);
      if ('options' in element) for (const { value } of Object.values(element.options)) gather(value);
    }
  };
  gather(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst());
  return [...named].sort();
};
const tagsOf = (text: string) => [...new Set(text.match(/<[^>]*>/g) ?? [])].sort();

test('each sentence has the same values and tags in German as in English', () => {
  for (const key of keys) {
    assert.deepEqual(valuesOf(germanTexts[key]), valuesOf(englishTexts[key]), key);
    assert.deepEqual(tagsOf(germanTexts[key]), tagsOf(englishTexts[key]), key);
  }
});

test('each sentence is said with its values, one of them or many', () => {
  for (const language of languages) {
    for (const key of keys) {
      const names = valuesOf(englishTexts[key]);
      for (const value of [1, 2, 12]) {
        const said = translatorOf(language).t(key, Object.fromEntries(names.map((name) => [name, value])));
        assert.doesNotMatch(said, /[{}]|plural|undefined/, `${language} ${key}: ${said}`);
        assert.notEqual(said, key);
      }
    }
  }
});

test('a value that is written like a message is a value', () => {
  const account = '{count, plural, other {#}} <b>';
  assert.match(
    translatorOf('de').t('mail_invited_before', { account }),
    /Konto \{count, plural, other \{#\}\} <b> ein/,
  );
});

test('times, numbers and amounts are those of the language, and times say their zone', () => {
  const at = Date.UTC(2026, 0, 5, 23, 4) / 1000;
  assert.equal(translatorOf('en').moment(at), 'January 5, 2026, 23:04 UTC');
  assert.equal(translatorOf('de').moment(at), '5. Januar 2026, 23:04 UTC');
  assert.equal(translatorOf('de').month('2026-03'), 'März 2026');
  assert.equal(translatorOf('en').amount('-90071992547409931.20'), '-90,071,992,547,409,931.20');
  assert.equal(translatorOf('de').amount('1234.50'), '1.234,50');
});
