// Writes the uncommitted files made from openapi.json: the client's types (sdk/src/api-types.ts) and the API reference
// (docs/reference/*.md, except conventions.md). Called by prepare.mjs when a source has changed, and by generate.ts. Needs
// no service: the answers are recorded (docs/reference/answers.jsonl).

import { readFileSync, writeFileSync } from 'node:fs';
import type { OpenapiDocument } from './docs/openapi-document.ts';
import type { StoryAnswer } from './docs/reference-answers.ts';
import { makeReferencePages } from './docs/reference-pages.ts';
import { sdkTypes } from './sdk-types.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

if (import.meta.main) writeFromOpenapi();

export function writeFromOpenapi(): void {
  const openapi: OpenapiDocument = JSON.parse(read('openapi.json'));
  const files = { 'sdk/src/api-types.ts': sdkTypes(openapi), ...referencePages(openapi) };
  for (const [path, text] of Object.entries(files)) writeFileSync(new URL(path, root), text);
}

export function referencePages(openapi: OpenapiDocument): Readonly<Record<string, string>> {
  const lines = read('docs/reference/answers.jsonl').trimEnd().split('\n');
  const answers = lines.map((line): StoryAnswer => JSON.parse(line));
  return makeReferencePages(openapi, answers);
}
