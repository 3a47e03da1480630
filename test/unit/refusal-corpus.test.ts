// The recorded corpus of refusals knows every operation of the API, so anyone who adds one must record its refusals.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readCorpus } from '../../proof/refusals/refusal-corpus.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

test('every operation of openapi.json has its refusals on record, and no other has', () => {
  const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  const { paths } = JSON.parse(text) as Document;
  const operations = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId }) => operationId ?? []);
  const recorded = readCorpus().flatMap(
    ({ line }) => /^(?:v1|admin|product) (\w+)$/.exec(line.name)?.[1] ?? [],
  );
  assert.ok(operations.length > 90);
  // `npm run record:refusals` writes the corpus again.
  assert.deepEqual([...new Set(recorded)].sort(), operations.sort());
});
