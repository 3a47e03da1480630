// Finds the elements of a translated page by their English names, for scripts/screenshots.ts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const byName = new Set(['getByRole', 'getByLabel', 'getByText', 'getByPlaceholder']);

export function translatedPage<Target extends object>(
  target: Target,
  words: ReadonlyMap<string, string>,
): Target {
  const translate = (text: unknown): unknown => {
    if (typeof text === 'string') return wordOf(text, words);
    if (typeof text !== 'object' || text === null || !('name' in text)) return text;
    return { ...text, name: translate(text.name) };
  };
  return new Proxy(target, {
    get(object, property) {
      const member: unknown = Reflect.get(object, property, object);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        const sent = byName.has(String(property)) ? args.map(translate) : args;
        const result: unknown = Reflect.apply(member, object, sent);
        const isPlace = typeof result === 'object' && result !== null && 'getByRole' in result;
        return isPlace ? translatedPage(result, words) : result;
      };
    },
  });
}

export function readWords(language: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  const folder = join(import.meta.dirname, '../../web/src/locales', language);
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.po'))) {
    const file = join(folder, name);
    for (const entry of readFileSync(file, 'utf8').split(/\n\n+/)) {
      const [, english, translation] = /^msgid "(.+)"\nmsgstr "(.+)"$/m.exec(entry) ?? [];
      if (english !== undefined && translation !== undefined) words.set(english, translation);
    }
  }
  return words;
}

function wordOf(text: string, words: ReadonlyMap<string, string>): string {
  const whole = words.get(text);
  if (whole !== undefined) return whole;
  for (const [english, translation] of words) {
    if (english.startsWith(`${text} `) && !translation.includes('{')) return translation;
  }
  return text;
}
