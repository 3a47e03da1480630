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

function phpSample({ method, path, query, body, idempotencyKey }: SampleRequest): string {
  const headers = [`'Authorization: Bearer ' . getenv('SELLTHROUGH_KEY'),`];
  if (body !== undefined) headers.push(`'Content-Type: application/json',`);
  if (idempotencyKey !== undefined) headers.push(`'Idempotency-Key: ${idempotencyKey}',`);
  const content =
    body === undefined ? '' : `\n    'content' => json_encode(${indentRest(literal(body, 0, php, 70), 4)}),`;
  return `<?php
$context = stream_context_create(['http' => [
    'method' => '${method}',
    'header' => [
        ${headers.join('\n        ')}
    ],${content}
    'timeout' => 15,
    'ignore_errors' => true,
]]);
$text = file_get_contents(getenv('SELLTHROUGH_URL') . '${path}${queryText(query)}', false, $context);
$answer = json_decode($text, true);
print_r($answer);`;
}

function pythonSample({ method, path, query, body, idempotencyKey }: SampleRequest): string {
  const headers = [`"Authorization": "Bearer " + os.environ["SELLTHROUGH_KEY"],`];
  if (body !== undefined) headers.push(`"Content-Type": "application/json",`);
  if (idempotencyKey !== undefined) headers.push(`"Idempotency-Key": "${idempotencyKey}",`);
  const data =
    body === undefined
      ? ''
      : `\n    data=json.dumps(${indentRest(literal(body, 0, python, 70), 4)}).encode(),`;
  return `import json
import os
from urllib.request import Request, urlopen

request = Request(
    os.environ["SELLTHROUGH_URL"] + "${path}${queryText(query)}",
    method="${method}",
    headers={
        ${headers.join('\n        ')}
    },${data}
)
with urlopen(request, timeout=15) as response:
    answer = json.load(response)
print(answer)`;
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

function indentRest(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}
