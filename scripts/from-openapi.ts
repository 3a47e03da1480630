// Writes what is made from openapi.json and not committed: the client's types (sdk/src/api-types.ts) and the pages of the API
// reference (docs/reference/*.md, all but conventions.md). Called by prepare.mjs when one of its sources has changed, and by
// generate.ts. Needs no service: the answers that the reference shows are recorded (docs/reference/answers.jsonl).

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

/** By their path. */
export function referencePages(openapi: OpenapiDocument): Readonly<Record<string, string>> {
  const lines = read('docs/reference/answers.jsonl').trimEnd().split('\n');
  const answers = lines.map((line): StoryAnswer => JSON.parse(line));
  return makeReferencePages(openapi, answers);
}
