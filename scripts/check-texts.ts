// Checks the catalogs of the pages' texts (web/lingui.config.ts): they match the sources, and each text is translated with
// all its placeholders, in the same way in each catalog. A step of `npm test`; by hand `node scripts/check-texts.ts`. Exits
// with 1 if a check fails; `npm run texts --workspace web` then extracts the texts.

import { fileURLToPath } from 'node:url';
import { getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';

// Lingui looks for sources below the working directory.
process.chdir(fileURLToPath(new URL('../web', import.meta.url)));

const config = getConfig();
const problems: string[] = [];
// Translations must agree, because a page loads several catalogs and the one loaded last wins.
const translations = new Map<string, string>();
let checked = 0;
for (const catalog of await getCatalogs(config)) {
  const sentences = await catalog.collect();
  if (sentences === undefined) throw new Error(`The sources of ${catalog.path} cannot be read.`);
  checked += Object.keys(sentences).length;
  for (const locale of config.locales) {
    const place = catalog.getFilename(locale);
    const kept = (await catalog.read(locale)) ?? {};
    for (const [id, { message }] of Object.entries(sentences)) {
      if (kept[id] === undefined) problems.push(`${place} lacks “${message}”`);
    }
    for (const [id, { message = '', translation = '' }] of Object.entries(kept)) {
      if (sentences[id] === undefined) problems.push(`${place}: nothing says “${message}” any more`);
      else if (translation.trim() === '') problems.push(`${place}: “${message}” is not translated`);
      else if (placeholdersOf(translation) !== placeholdersOf(message))
        problems.push(`${place}: “${translation}” does not hold what “${message}” holds`);
      const other = translations.get(`${locale} ${id}`) ?? translation;
      if (other !== translation)
        problems.push(`${place}: “${message}” is “${translation}” here and “${other}” in another catalog`);
      translations.set(`${locale} ${id}`, translation);
    }
  }
}
if (checked === 0) problems.push('There are no sentences.');
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

function placeholdersOf(text: string): string {
  const names = [...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => `{${name}}`);
  const tags = [...text.matchAll(/<\/?\d+\/?>/g)].map(([tag]) => tag);
  return [...new Set([...names, ...tags])].sort().join(' ');
}
