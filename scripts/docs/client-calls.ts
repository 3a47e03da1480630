// Writes the tables of the client's calls into sdk/README.md, from the client's methods and openapi.json.

import { readFileSync } from 'node:fs';
import { isShapeName } from '../../src/platform/http/openapi-names.ts';
import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Schema,
  successOf,
} from './openapi-document.ts';

const marks = /(<!-- calls: begin -->\n)[\s\S]*?(<!-- calls: end -->)/;
const method = /^ {2}(?:async )?(\w+)\(([^{]*?)\): (?:Promise|AsyncGenerator)<(.+)> \{$/gm;
const clients = [
  { title: 'Reseller', source: 'sdk/src/index.ts' },
  { title: 'Administrator, `client.admin`', source: 'sdk/src/admin-client.ts' },
  { title: 'Product, `client.product`', source: 'sdk/src/product-client.ts' },
  { title: 'Test mode, `client.testMode`', source: 'sdk/src/test-mode-client.ts' },
] as const;

export function withCalls(readme: string, document: OpenapiDocument): string {
  if (!marks.test(readme)) throw new Error('sdk/README.md has no marks for the calls.');
  const text = clients
    .map(({ title, source }) => {
      const rows = callRows(readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8'), document);
      return [`| ${title} | Resolves to | |`, '|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
  return readme.replace(marks, (_whole, begin: string, end: string) => `${begin}\n${text}\n\n${end}`);
}

function callRows(source: string, document: OpenapiDocument): readonly string[] {
  const operations = new Map(
    operationsOf(document).map(({ operation }) => [operation.operationId, operation]),
  );
  const rows: { calls: string; answer: string; summary: string }[] = [];
  for (const [, name = '', parameters = '', type = ''] of source.matchAll(method)) {
    const operation = operations.get(name);
    const names = [...parameters.matchAll(/(\w+\??): /g)].map(([, each = '']) => each);
    const shown = names
      .filter((each) => each !== 'options?')
      .map((each) => (operation === undefined ? each : argumentText(each.replace('?', ''), operation)));
    const call = `\`${name}(${shown.join(', ')})\``;
    const last = rows.at(-1);
    if (operation !== undefined)
      rows.push({ calls: call, answer: answerText(type, operation, document), summary: operation.summary });
    else if (last !== undefined) last.calls += `, ${call}`;
  }
  return rows.map(({ calls, answer, summary }) => `| ${calls} | \`${answer}\` | ${summary} |`);
}

function argumentText(name: string, { parameters = [], requestBody }: Operation): string {
  if (name === 'query')
    return braces(parameters.filter((each) => each.in === 'query').map((each) => `${each.name}?`));
  const body = requestBody?.content['application/json'].schema;
  return name === 'body' && body !== undefined ? braces(fieldsOf(body)) : name;
}

/** Shows a named schema by its name and an inline schema by its fields. */
function answerText(type: string, operation: Operation, { components }: OpenapiDocument): string {
  const item = /^(?:Page<(\w+)>|(\w+)\[\])$/.exec(type);
  const name = item?.[1] ?? item?.[2] ?? type;
  if (name in components.schemas && !isShapeName(name)) return type;
  const takesKey = operation.parameters?.some((each) => each.in === 'header') === true;
  return braces([...fieldsOf(successOf(operation).schema), ...(takesKey ? ['replayed'] : [])]);
}

function fieldsOf({ properties = {}, required = [] }: Schema): readonly string[] {
  const optional = Object.keys(properties).filter(
    (name) => !required.includes(name) && name !== 'idempotency_key',
  );
  return [...required, ...optional.map((name) => `${name}?`)];
}

function braces(fields: readonly string[]): string {
  return `{ ${fields.join(', ')} }`;
}
