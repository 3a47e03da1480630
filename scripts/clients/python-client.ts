// Makes the Python client's operations and types (clients/python/src/sellthrough/_operations.py, api_types.py) from
// openapi.json. Called by from-openapi.ts. Throws on JSON Schema features that the document does not use.

import type { OpenapiDocument, Schema } from '../docs/openapi-document.ts';
import {
  type ClientField,
  type ClientGroup,
  type ClientOperation,
  clientGroups,
  clientOperations,
  describe,
  errorCodes,
  fieldsOf,
  pascalCase,
  snakeCase,
  type Walk,
} from './client-operations.ts';

const made = '# Made from openapi.json by scripts/from-openapi.ts: do not edit.\n';
const classes: Readonly<Record<ClientGroup, readonly [name: string, doc: string]>> = {
  reseller: ['ResellerOperations', "The reseller's API."],
  admin: ['AdminOperations', "The administrator's API, as ``client.admin``. Needs an administrator's key."],
  product: [
    'ProductOperations',
    "The product's API, as ``client.product``. Needs a key with the scope ``product``.",
  ],
  testMode: ['TestModeOperations', 'Test mode, as ``client.test_mode``. Needs a test key, ``sk_test_…``.'],
};
/** Cannot be names of fields in a class. */
const keywords: ReadonlySet<string> = new Set([
  'from',
  'in',
  'is',
  'class',
  'def',
  'global',
  'import',
  'pass',
]);
const widthMax = 116;

export function pythonClient(document: OpenapiDocument): Readonly<Record<string, string>> {
  const operations = clientOperations(document);
  const folder = 'clients/python/src/sellthrough';
  return {
    [`${folder}/_operations.py`]: operationsModule(operations),
    [`${folder}/api_types.py`]: typesModule(operations, document),
  };
}

function operationsModule(operations: readonly ClientOperation[]): string {
  const groups = clientGroups.map((group) => {
    const [name, doc] = classes[group];
    const methods = operations.filter((each) => each.group === group).flatMap(methodsOf);
    return `class ${name}(Operations):\n    """${doc}"""\n\n${methods.join('\n')}`;
  });
  return `"""One method for each operation of the API. Bodies, queries and answers have the fields of the API reference."""

${made}
from __future__ import annotations

from typing import Iterator, Optional

from . import api_types as types
from ._base import Operations, follow, segment, walk, walk_numbered
from ._transport import CallOptions


${groups.join('\n\n')}`;
}

function methodsOf(operation: ClientOperation): string[] {
  const { walk } = operation;
  return [callMethod(operation), ...(walk === null ? [] : [walkMethod(operation, walk)])];
}

function callMethod(operation: ClientOperation): string {
  const { name, method, path, ids, query, body, takesKey, holdsKeys, isSlow } = operation;
  const own = ids.map((id) => `${id.name}: ${id.type === 'integer' ? 'int' : 'str'}`);
  const shape = `types.${pascalCase(name)}`;
  if (body !== null) own.push(body.isRequired ? `body: ${shape}Body` : `body: Optional[${shape}Body] = None`);
  if (query.length > 0) own.push(`query: Optional[${shape}Query] = None`);
  const options = [
    ...(takesKey ? ['idempotency_key: Optional[str] = None'] : []),
    'options: Optional[CallOptions] = None',
  ];
  const address = path.includes('{') ? `f"${withIds(path, ids)}"` : `"${path}"`;
  const args = [
    `"${method}"`,
    address,
    ...(query.length > 0 ? ['query=query'] : []),
    ...(body === null ? [] : [body.isRequired ? 'body=body' : 'body=body or {}']),
    ...(takesKey ? ['takes_key=True', 'idempotency_key=idempotency_key'] : []),
    ...(holdsKeys ? ['holds_keys=True'] : []),
    ...(isSlow ? ['is_slow=True'] : []),
    'options=options',
  ];
  return [
    signature(snakeCase(name), [...own, '*', ...options], `${shape}Answer`),
    docstring(docOf(operation), '        '),
    `        answer: ${shape}Answer = self._call(${wrapped(args, 8)})\n        return answer\n`,
  ].join('\n');
}

function walkMethod({ name, ids, query }: ClientOperation, { name: walkName, kind, item }: Walk): string {
  const own = ids.map((id) => `${id.name}: ${id.type === 'integer' ? 'int' : 'str'}`);
  const shape = `types.${pascalCase(name)}Query`;
  const given = [...ids.map((id) => id.name), 'page', 'options=options'].join(', ');
  const getPage = `lambda page: self.${snakeCase(name)}(${given})`;
  const itemType = typeOf(item, '')
    .replace(/^(?=[A-Z])/, 'types.')
    .replace(/^"(\w+)"$/, 'types.$1');
  if (kind === 'events') {
    return [
      signature(
        snakeCase(walkName),
        [
          'after: Optional[int] = None',
          'event_type: Optional[str] = None',
          '*',
          'options: Optional[CallOptions] = None',
        ],
        `Iterator[${itemType}]`,
      ),
      docstring(
        [
          `Every event after the id ${'``after``'}, oldest first, endlessly, also through outages.`,
          'To miss none, save the id of the last event that you handled, and continue after it. Raises ApiError with the code events_gone (410) if events after that id have expired.',
        ],
        '        ',
      ),
      `        return follow(${getPage}, after, event_type)\n`,
    ].join('\n');
  }
  const filters = query
    .map((each) => each.name)
    .filter((each) => !['page', 'limit', 'cursor'].includes(each));
  const takes = filters.length === 0 ? [] : [`query: Optional[${shape}] = None`];
  const walker = kind === 'cursor' ? 'walk' : 'walk_numbered';
  return [
    signature(
      snakeCase(walkName),
      [...own, ...takes, '*', 'options: Optional[CallOptions] = None'],
      `Iterator[${itemType}]`,
    ),
    docstring(
      [
        `Every item of ${'``'}${snakeCase(name)}${'``'} through all pages. Each item comes once, even if others are added meanwhile.`,
        ...(filters.length === 0 ? [] : [`Filters: ${filters.map((each) => `\`\`${each}\`\``).join(', ')}.`]),
      ],
      '        ',
    ),
    `        return ${walker}(${getPage}, ${filters.length === 0 ? 'None' : 'query'})\n`,
  ].join('\n');
}

function docOf({ method, path, summary, description, takesKey, codes }: ClientOperation): readonly string[] {
  return [
    `${summary.replace(/\.$/, '')}.`,
    description,
    `${'``'}${method} ${path}${'``'}.${takesKey ? ' The answer also has ``replayed``: True if the key was used before, so nothing was done this time.' : ''}`,
    codes.length === 0 ? '' : `Error codes: ${codes.join(', ')}.`,
  ].filter((paragraph) => paragraph !== '');
}

function withIds(path: string, ids: readonly { readonly name: string }[]): string {
  let index = 0;
  return path.replaceAll(/\{\w+\}/g, () => `{segment(${ids[index++]?.name})}`);
}

function signature(name: string, parameters: readonly string[], returns: string): string {
  const oneLine = `    def ${name}(self, ${parameters.join(', ')}) -> ${returns}:`;
  if (oneLine.length <= widthMax) return oneLine;
  const rows = ['self', ...parameters].map((each) => `        ${each},\n`).join('');
  return `    def ${name}(\n${rows}    ) -> ${returns}:`;
}

function wrapped(args: readonly string[], indent: number): string {
  const oneLine = args.join(', ');
  if (oneLine.length + indent + 72 <= widthMax) return oneLine;
  const gap = ' '.repeat(indent);
  return `\n${args.map((each) => `${gap}    ${each},\n`).join('')}${gap}`;
}

function docstring(paragraphs: readonly string[], indent: string): string {
  const [first = '', ...rest] = paragraphs.map((each) => fill(each.replaceAll('\\', '\\\\'), indent));
  const text = [first.trimStart(), ...rest].join('\n\n');
  return `${indent}"""${text}${text.includes('\n') ? `\n${indent}` : ''}"""`;
}

/** Breaks a paragraph into lines. */
function fill(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length >= widthMax && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}

// The types

function typesModule(
  operations: readonly ClientOperation[],
  { components, ...document }: OpenapiDocument,
): string {
  const writer = new TypeWriter(new Set(Object.keys(components.schemas)));
  const answers = new Map(operations.map(({ name, answer }) => [`${pascalCase(name)}Answer`, answer]));
  for (const [name, schema] of Object.entries(components.schemas))
    if (!answers.has(name)) writer.declare(name, schema);
  for (const { name, query, answer, takesKey } of operations) {
    const shape = pascalCase(name);
    if (query.length > 0)
      writer.object(
        `${shape}Query`,
        query.map((each) => ({ ...each, isRequired: false })),
        '',
      );
    const replayed = {
      name: 'replayed',
      schema: {
        type: 'boolean',
        description: 'True if the key was used before, so nothing was done this time.',
      },
      isRequired: true,
    };
    if (answer.$ref !== undefined) writer.alias(`${shape}Answer`, answer);
    else writer.object(`${shape}Answer`, [...fieldsOf(answer), ...(takesKey ? [replayed] : [])], '');
  }
  const codes = errorCodes({ components, ...document }).map((code) => `    "${code}",\n`);
  return `"""The shapes of requests and answers, field for field as in the API reference.

Amounts are decimal strings in the currency of the service, such as "12.50". Times are ISO 8601 in UTC with whole seconds.
"""

${made}
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${writer.text()}
ErrorCode = Literal[
${codes.join('')}]
"""Error codes of the API. New ones may be added: tolerate others."""
`;
}

class TypeWriter {
  readonly #taken: Set<string>;
  readonly #parts: string[] = [];

  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  declare(name: string, schema: Schema): void {
    if (schema.type === 'object' && schema.properties !== undefined)
      this.object(name, fieldsOf(schema), schema.description ?? '');
    else this.alias(name, schema);
  }

  alias(name: string, schema: Schema): void {
    const type = this.#type(schema, name);
    // The name of a class as a string would be no type.
    const [, of] = /^"(\w+)"$/.exec(type) ?? [];
    this.#parts.push(of === undefined ? `${name} = ${type}\n` : `class ${name}(${of}):\n    pass\n`);
  }

  object(name: string, fields: readonly ClientField[], doc: string): void {
    const typed = fields.map((field) => ({
      ...field,
      type: this.#type(field.schema, `${name}${pascalCase(field.name)}`),
      doc: describe(field.schema),
    }));
    const [required, optional] = [
      typed.filter((each) => each.isRequired),
      typed.filter((each) => !each.isRequired),
    ];
    const about = doc === '' ? '' : `${docstring([doc], '    ')}\n`;
    const mixed = required.length > 0 && optional.length > 0;
    if (typed.some((each) => keywords.has(each.name))) {
      // A keyword can be a key, but not in the syntax of a class.
      const parts = [
        [`_${name}Required`, required, ''] as const,
        [`_${name}Optional`, optional, ', total=False'] as const,
      ].filter(([, list]) => list.length > 0);
      for (const [part, list, total] of parts) {
        const rows = list.map((each) => `${comment(each.doc)}    "${each.name}": ${each.type},\n`);
        this.#parts.push(`${part} = TypedDict("${part}", {\n${rows.join('')}}${total})\n`);
      }
      const bases = parts.map(([part]) => part).join(', ');
      this.#parts.push(`class ${name}(${bases}):\n${about || '    pass\n'}`);
      return;
    }
    const body = (list: typeof typed) =>
      list.map((each) => `${comment(each.doc)}    ${each.name}: ${each.type}\n`).join('');
    if (mixed) this.#parts.push(`class _${name}Required(TypedDict):\n${body(required)}`);
    const base = mixed ? `_${name}Required` : 'TypedDict';
    const total = optional.length > 0 ? ', total=False' : '';
    const rows = body(mixed ? optional : typed);
    this.#parts.push(
      `class ${name}(${base}${total}):\n${about}${rows === '' && about === '' ? '    pass\n' : rows}`,
    );
  }

  text(): string {
    return this.#parts.map((part) => `\n${part}`).join('\n');
  }

  #type(schema: Schema, place: string): string {
    const own = typeOf(schema, place);
    if (schema.anyOf !== undefined) {
      const types = schema.anyOf.map((each) => this.#type(each, place));
      return `Union[${[...new Set(types)].join(', ')}]`;
    }
    if (schema.type === 'array') return `List[${this.#type(schema.items ?? {}, `${place}Item`)}]`;
    if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
      return `Dict[str, ${this.#type(schema.additionalProperties, `${place}Value`)}]`;
    if (schema.type !== 'object' || schema.properties === undefined) return own;
    let name = place;
    while (this.#taken.has(name)) name += 'Fields';
    this.#taken.add(name);
    this.object(name, fieldsOf(schema), '');
    return `"${name}"`;
  }
}

function typeOf(schema: Schema, place: string): string {
  if (schema.$ref !== undefined) return `"${schema.$ref.replace('#/components/schemas/', '')}"`;
  if (schema.enum !== undefined)
    return `Literal[${schema.enum.map((each) => JSON.stringify(each)).join(', ')}]`;
  switch (schema.type) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'null':
      return 'None';
    case 'object':
      return 'Dict[str, Any]';
    case 'array':
    case undefined:
      return 'Any';
    default:
      throw new Error(`The type "${schema.type}" of ${place} is not known here.`);
  }
}

function comment(text: string): string {
  return text === '' ? '' : `${fill(text, '    # ').replace(/^ {4}# +/, '    # ')}\n`;
}
