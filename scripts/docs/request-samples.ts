// Writes an API request as code in four languages, with address and key from the environment. Pure.

export interface SampleRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly client: 'client' | 'client.admin' | 'client.product' | 'client.testMode';
  readonly id?: number | string;
  readonly inner?: number;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
}

export interface Sample {
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

export function samplesOf(request: SampleRequest): readonly Sample[] {
  return [
    { title: 'curl', language: 'sh', code: curlSample(request) },
    { title: 'TypeScript', language: 'ts', code: typescriptSample(request) },
    { title: 'PHP', language: 'php', code: phpSample(request) },
    { title: 'Python', language: 'python', code: pythonSample(request) },
  ];
}

function curlSample({ method, path, query, body, idempotencyKey }: SampleRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$SELLTHROUGH_URL${path}${queryText(query)}"`,
    `-H "Authorization: Bearer $SELLTHROUGH_KEY"`,
  ];
  if (idempotencyKey !== undefined) lines.push(`-H 'Idempotency-Key: ${idempotencyKey}'`);
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`);
    const text = literal(body, 0, { ...json, variable: (name) => `"'"$${name}"'"` }, 80);
    lines.push(`-d '${text}'`);
  }
  return lines.join(' \\\n  ');
}

function typescriptSample({
  operationId,
  id,
  inner,
  query,
  body,
  idempotencyKey,
  client,
}: SampleRequest): string {
  const parts = [
    ...(id === undefined ? [] : [typeof id === 'string' ? `'${id}'` : String(id)]),
    ...(inner === undefined ? [] : [String(inner)]),
    ...(body === undefined ? [] : [literal(body, 0, typescript, 70)]),
    ...(query === undefined ? [] : [literal(query, 0, typescript, 70)]),
    ...(idempotencyKey === undefined ? [] : [`{ idempotencyKey: '${idempotencyKey}' }`]),
  ];
  const call = `${client}.${operationId}`;
  const oneLine = `const answer = await ${call}(${parts.join(', ')});`;
  const whole =
    parts.length === 1 || (oneLine.length <= 90 && !oneLine.includes('\n'))
      ? oneLine
      : `const answer = await ${call}(\n${parts.map((part) => `${indent(part, 2)},`).join('\n')}\n);`;
  return `import { Sellthrough } from '@sellthrough/client';

const { SELLTHROUGH_URL = '', SELLTHROUGH_KEY = ''${usesCode(body) ? ", LOGIN_CODE = ''" : ''} } = process.env;
const client = new Sellthrough({ baseUrl: SELLTHROUGH_URL, apiKey: SELLTHROUGH_KEY });

${whole}
console.log(answer);`;
}

function phpSample(request: SampleRequest): string {
  const { operationId, client, idempotencyKey } = request;
  const object = {
    client: '$client',
    'client.admin': '$client->admin',
    'client.product': '$client->product',
    'client.testMode': '$client->testMode',
  }[client];
  const key = idempotencyKey === undefined ? [] : [`idempotencyKey: '${idempotencyKey}'`];
  const call = `$answer = ${callText(`${object}->${operationId}`, [...valuesOf(request, php), ...key], '')};`;
  return `<?php
require 'vendor/autoload.php';

use Sellthrough\\Client\\Sellthrough;

$client = new Sellthrough(getenv('SELLTHROUGH_URL'), getenv('SELLTHROUGH_KEY'));

${call}
print_r($answer);`;
}

function pythonSample(request: SampleRequest): string {
  const { operationId, client, idempotencyKey } = request;
  const key = idempotencyKey === undefined ? [] : [`idempotency_key="${idempotencyKey}"`];
  const method = `${client}.${operationId}`.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const call = `answer = ${callText(method, [...valuesOf(request, python), ...key], ',')}`;
  return `import os

from sellthrough import Sellthrough

client = Sellthrough(os.environ["SELLTHROUGH_URL"], os.environ["SELLTHROUGH_KEY"])

${call}
print(answer)`;
}

/** The ids of the path, then the body or the query. */
function valuesOf({ id, inner, body, query }: SampleRequest, language: Language): readonly string[] {
  return [id, inner, body, query]
    .filter((value) => value !== undefined)
    .map((value) => literal(value, 0, language, 70));
}

function callText(call: string, parts: readonly string[], lastComma: string): string {
  const oneLine = `${call}(${parts.join(', ')})`;
  if (parts.length <= 1 || (oneLine.length <= 80 && !oneLine.includes('\n'))) return oneLine;
  return `${call}(\n${parts.map((part) => indent(part, 4)).join(',\n')}${lastComma}\n)`;
}

export function queryText(query: SampleRequest['query']): string {
  if (query === undefined) return '';
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}

interface Language {
  readonly text: (value: string) => string;
  readonly flag: (value: boolean) => string;
  readonly variable: (name: string) => string;
  readonly entry: (name: string, value: string) => string;
  readonly object: readonly [open: string, close: string];
  readonly list: readonly [open: string, close: string];
  readonly padded: boolean;
  readonly step: number;
  readonly trailingComma: boolean;
}

const json: Language = {
  text: (value) => JSON.stringify(value),
  flag: String,
  variable: (name) => `$${name}`,
  entry: (name, value) => `"${name}": ${value}`,
  object: ['{', '}'],
  list: ['[', ']'],
  padded: false,
  step: 2,
  trailingComma: false,
};
const typescript: Language = {
  ...json,
  text: (value) => `'${value}'`,
  variable: (name) => name,
  entry: (name, value) => `${name}: ${value}`,
  padded: true,
  trailingComma: true,
};
const php: Language = {
  ...json,
  text: (value) => `'${value}'`,
  variable: (name) => `getenv('${name}')`,
  entry: (name, value) => `'${name}' => ${value}`,
  object: ['[', ']'],
  step: 4,
  trailingComma: true,
};
const python: Language = {
  ...json,
  flag: (value) => (value ? 'True' : 'False'),
  variable: (name) => `os.environ["${name}"]`,
  step: 4,
  trailingComma: true,
};

function literal(value: unknown, depth: number, language: Language, widthMax: number): string {
  if (typeof value === 'string') return language.text(value);
  if (typeof value === 'boolean') return language.flag(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if ('environment' in value) return language.variable(String(value.environment));
  const isList = Array.isArray(value);
  const [open, close] = isList ? language.list : language.object;
  const entries = isList
    ? value.map((item) => literal(item, depth + 1, language, widthMax))
    : Object.entries(value).map(([name, each]) =>
        language.entry(name, literal(each, depth + 1, language, widthMax)),
      );
  const gap = language.padded && !isList ? ' ' : '';
  const oneLine = `${open}${gap}${entries.join(', ')}${gap}${close}`;
  if (oneLine.length <= widthMax && !oneLine.includes('\n')) return oneLine;
  const comma = language.trailingComma ? ',' : '';
  const inner = entries.map((entry) => indent(entry, language.step)).join(',\n');
  return `${open}\n${inner}${comma}\n${close}`;
}

function usesCode(body: SampleRequest['body']): boolean {
  return JSON.stringify(body ?? {}).includes('"environment":"LOGIN_CODE"');
}

function indent(text: string, spaces: number): string {
  return text.replace(/^/gm, ' '.repeat(spaces));
}
