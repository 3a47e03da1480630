// Checks what people read: odd words in code, texts and documents; the length of sentences in documents; the subjects of new
// commits. A step of `npm run check`; by hand `node scripts/check-prose.ts [file]...`, which also shows each long sentence.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newSubjects, subjectProblem } from './prose/commit-subjects.ts';
import { findOddWords, unusedExemptions } from './prose/odd-words.ts';
import { longMax, measureSentences, medianMax } from './prose/sentences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const chosen = process.argv.slice(2);

const texts = globSync(
  [
    '{src,sdk,clients,web,test,proof,scripts,bench,examples,integrations,deploy,docs,bin,.github}/**/*.{ts,tsx,mts,mjs,js,css,sql,lua,md,vue,sh,py,php,tpl,yml,yaml,conf,service,timer,html}',
    '.github/**/*.{md,yml}',
    'docs/.vitepress/**/*.{ts,css,vue}',
    '*.{md,yaml}',
    'Dockerfile',
  ],
  { exclude: (path) => /(?:^|\/)(?:node_modules|dist|dist\.draft|cache|\.temp)$/.test(path) },
).filter(isWritten);
const documents = texts.filter((file) => file.endsWith('.md') && !file.startsWith('test/'));

const problems: string[] = [];
for (const file of [...texts, 'openapi.json'].sort()) {
  if (chosen.length > 0 && !chosen.some((part) => file.includes(part))) continue;
  const text = readFileSync(file, 'utf8');
  const odd = findOddWords(file, file === 'openapi.json' ? describedIn(text) : text);
  problems.push(...odd.map(({ line, word, instead }) => `${file}:${line}: "${word}": ${instead}`));
  const lengths = documents.includes(file) && file !== 'CHANGELOG.md' ? measureSentences(text) : undefined;
  if (lengths?.isShort === false) {
    problems.push(
      `${file}: sentences are too long: half have more than ${lengths.median} words (at most ${medianMax}), ${lengths.long.length} more than ${longMax} (at most 5 %)`,
      ...lengths.long.map(({ line, words, text }) => `${file}:${line}: ${words} words: ${text}`),
    );
  }
}

if (chosen.length === 0) {
  for (const { file, text } of unusedExemptions())
    problems.push(`scripts/prose/odd-words.ts: ${file} no longer has "${text}"`);
  for (const subject of newSubjects(root)) {
    const problem = subjectProblem(subject);
    if (problem !== undefined) problems.push(`commit "${subject}" ${problem}`);
  }
}
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

/** False for files that are generated, recorded or taken from elsewhere. */
function isWritten(file: string): boolean {
  if (file.startsWith('docs/reference/')) return file === 'docs/reference/conventions.md';
  return !(
    // Migrations must not change, because their checksums are recorded.
    file.startsWith('src/platform/database/schema/migrations/') ||
    file.startsWith('test/corpora/') ||
    file === 'test/schema.sql' ||
    file === 'sdk/src/api-types.ts' ||
    /^clients\/.*(?:_operations\.py|api_types\.py|\w+Operations\.php|ErrorCode\.php|Shapes\.php)$/.test(
      file,
    ) ||
    file.startsWith('scripts/prose/') ||
    file === 'test/unit/prose.test.ts' ||
    file === 'test/unit/vocabulary.test.ts'
  );
}

function describedIn(openapi: string): string {
  const lines: string[] = [];
  JSON.parse(openapi, (name, value: unknown) => {
    if ((name === 'description' || name === 'summary') && typeof value === 'string') lines.push(value);
    return value;
  });
  return lines.join('\n');
}
