// Writes the uncommitted files made from openapi.json: the types of the TypeScript client (sdk/src/api-types.ts), the
// operations of the PHP and Python clients, and the API reference (docs/reference/**/*.md, except conventions.md). Called by
// prepare.mjs when a source has changed, and by generate.ts. Needs no service: the answers are recorded
// (docs/reference/answers.jsonl).

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { phpClient } from './clients/php-client.ts';
import { pythonClient } from './clients/python-client.ts';
import type { OpenapiDocument } from './docs/openapi-document.ts';
import type { StoryAnswer } from './docs/reference-answers.ts';
import { makeReferencePages } from './docs/reference-pages.ts';
import { sdkTypes } from './sdk-types.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

if (import.meta.main) writeFromOpenapi();

export function writeFromOpenapi(): void {
  const openapi: OpenapiDocument = JSON.parse(read('openapi.json'));
  const pages = referencePages(openapi);
  // Remove pages of operations that no longer exist.
  const reference = new URL('docs/reference/', root);
  for (const path of globSync('**/*.md', { cwd: reference }))
    if (path !== 'conventions.md') rmSync(new URL(path, reference));
  const files = {
    'sdk/src/api-types.ts': sdkTypes(openapi),
    ...phpClient(openapi),
    ...pythonClient(openapi),
    ...pages,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(new URL('.', new URL(path, root)), { recursive: true });
    writeFileSync(new URL(path, root), text);
  }
}

export function referencePages(openapi: OpenapiDocument): Readonly<Record<string, string>> {
  const lines = read('docs/reference/answers.jsonl').trimEnd().split('\n');
  const answers = lines.map((line): StoryAnswer => JSON.parse(line));
  return makeReferencePages(openapi, answers);
}
