// Makes the PHP client's operations, shapes and error codes (clients/php/src/*Operations.php, Shapes.php, ErrorCode.php) from
// openapi.json. Called by from-openapi.ts. Shapes are written for PHPStan and Psalm. Throws on JSON Schema features that the
// document does not use.

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
  type Walk,
} from './client-operations.ts';

const folder = 'clients/php/src';
const made = '// Made from openapi.json by scripts/from-openapi.ts: do not edit.';
const widthMax = 118;
const classes: Readonly<Record<ClientGroup, readonly [start: string, name: string, doc: string]>> = {
  reseller: ['abstract class', 'ResellerOperations', "The reseller's API, as methods of the client."],
  admin: [
    'final class',
    'AdminOperations',
    "The administrator's API, as `$client->admin`. Needs an administrator's key.",
  ],
  product: [
    'final class',
    'ProductOperations',
    "The product's API, as `$client->product`. Needs a key with the scope `product`.",
  ],
  testMode: [
    'final class',
    'TestModeOperations',
    'Test mode, as `$client->testMode`. Needs a test key, `sk_test_…`.',
  ],
};

export function phpClient(document: OpenapiDocument): Readonly<Record<string, string>> {
  const operations = clientOperations(document);
  return {
    ...Object.fromEntries(
      clientGroups.map((group) => [`${folder}/${classes[group][1]}.php`, operationsClass(group, operations)]),
    ),
    [`${folder}/Shapes.php`]: shapesFile(operations, document),
    [`${folder}/ErrorCode.php`]: codesFile(document),
  };
}

function phpFile(...parts: readonly string[]): string {
  return `<?php\n\n${made}\n\ndeclare(strict_types=1);\n\nnamespace Sellthrough\\Client;\n\n${parts.join('\n')}`;
}

function operationsClass(group: ClientGroup, operations: readonly ClientOperation[]): string {
  const [start, name, doc] = classes[group];
  const methods = operations
    .filter((each) => each.group === group)
    .flatMap(methodsOf)
    .join('\n');
  const used = new Set(
    [...methods.matchAll(/@(?:param|return) (?:Generator<int, )?([A-Z]\w+)/g)].map(([, each]) => each),
  );
  used.delete('CallOptions');
  used.delete('Generator');
  const imports = [...used].sort().map((each) => ` * @phpstan-import-type ${each} from Shapes\n`);
  const uses = methods.includes('Generator') ? 'use Generator;\n\n' : '';
  return phpFile(
    `${uses}/**\n * ${doc}\n *\n${imports.join('')} */\n${start} ${name} extends Operations\n{\n${methods}}\n`,
  );
}

function methodsOf(operation: ClientOperation): string[] {
  const { walk } = operation;
  return [callMethod(operation), ...(walk === null ? [] : [walkMethod(operation, walk)])];
}

function idsOf({ ids }: ClientOperation): readonly { readonly name: string; readonly type: string }[] {
  return ids.map(({ name, type }) => ({
    name: camelCase(name),
    // Ids of the API are numbers, and its document has them as texts of a path.
    type: type === 'integer' ? 'int' : name.endsWith('_id') ? 'int|string' : 'string',
  }));
}

function callMethod(operation: ClientOperation): string {
  const { name, method, path, summary, description, query, body, takesKey, holdsKeys, isSlow, codes } =
    operation;
  const ids = idsOf(operation);
  const shape = pascalCase(name);
  const parameters = ids.map((id) => `${id.type} $${id.name}`);
  const doc = [
    ...paragraph(`${summary.replace(/\.$/, '')}.`),
    ...blockOf(description),
    '',
    `\`${method} ${path}\`.`,
  ];
  const tags: string[] = [];
  if (body !== null) {
    parameters.push(`array $body${body.isRequired ? '' : ' = []'}`);
    doc.push('', 'Fields of the body:', ...fieldsOf(body.schema).flatMap(fieldLines));
    tags.push(`@param ${shape}Body $body`);
  }
  if (query.length > 0) {
    parameters.push('array $query = []');
    doc.push('', 'Fields of the query:', ...query.flatMap(fieldLines));
    tags.push(`@param ${shape}Query $query`);
  }
  if (takesKey) {
    parameters.push('?string $idempotencyKey = null');
    tags.push(
      '@param string|null $idempotencyKey your own key of 1 to 80 visible ASCII characters. Default: a random key',
    );
  }
  parameters.push('?CallOptions $options = null');
  tags.push(`@return ${shape}Answer`);
  const errors = codes.length === 0 ? '' : ` ${codes.join(', ')}`;
  tags.push(...hanging(`@throws SellthroughException${errors}`));
  const args = [
    `'${method}'`,
    withIds(path, ids),
    ...(query.length > 0 ? ['query: $query'] : []),
    ...(body === null ? [] : ['body: $body']),
    ...(takesKey ? ['takesKey: true', 'idempotencyKey: $idempotencyKey'] : []),
    ...(holdsKeys ? ['holdsKeys: true'] : []),
    ...(isSlow ? ['isSlow: true'] : []),
    'options: $options',
  ];
  return `${docblock([...doc, '', ...tags])}${signature(name, parameters, 'array')}        return $this->call(${wrapped(args)});\n    }\n`;
}

function walkMethod(operation: ClientOperation, { name: walkName, kind, item }: Walk): string {
  const { name, query } = operation;
  const ids = idsOf(operation);
  const given = [...ids.map((id) => `$${id.name}`), '$page', 'options: $options'].join(', ');
  const getPage = `fn (array $page): array => $this->${name}(${given})`;
  const itemName = /^#\/components\/schemas\/(\w+)$/.exec(item.$ref ?? '')?.[1] ?? 'array<string, mixed>';
  if (kind === 'events') {
    const doc = [
      ...paragraph('Every event after the id `$after`, oldest first, endlessly, also through outages.'),
      '',
      ...paragraph('To miss none, save the id of the last event that you handled, and continue after it.'),
      '',
      '@param string|null $eventType only events of this type',
      `@return Generator<int, ${itemName}>`,
      '@throws SellthroughException events_gone (410) if events after that id have expired',
    ];
    const parameters = ['?int $after = null', '?string $eventType = null', '?CallOptions $options = null'];
    return `${docblock(doc)}${signature(walkName, parameters, 'Generator')}        $getPage = ${getPage};\n\n        return $this->follow($getPage, $after, $eventType);\n    }\n`;
  }
  const filters = query
    .map((each) => each.name)
    .filter((each) => !['page', 'limit', 'cursor'].includes(each));
  const doc = [
    ...paragraph(
      `Every item of \`${name}\` through all pages. Each item comes once, even if others are added meanwhile.`,
    ),
    ...(filters.length === 0
      ? []
      : ['', ...paragraph(`Filters: ${filters.map((each) => `\`${each}\``).join(', ')}.`)]),
    '',
    ...(filters.length === 0 ? [] : [`@param ${pascalCase(name)}Query $query`]),
    `@return Generator<int, ${itemName}>`,
    '@throws SellthroughException',
  ];
  const parameters = [
    ...ids.map((id) => `${id.type} $${id.name}`),
    ...(filters.length === 0 ? [] : ['array $query = []']),
    '?CallOptions $options = null',
  ];
  const walker = kind === 'cursor' ? 'walk' : 'walkNumbered';
  return `${docblock(doc)}${signature(walkName, parameters, 'Generator')}        $getPage = ${getPage};\n\n        return $this->${walker}($getPage, ${filters.length === 0 ? '[]' : '$query'});\n    }\n`;
}

function fieldLines({ name, schema, isRequired }: ClientField): string[] {
  const text = describe(schema);
  const type = typeOf(schema, '').replaceAll(/\s+/g, ' ');
  const shown = type.length > 60 ? 'array' : type;
  return hanging(
    `- \`${name}\` (${shown}${isRequired ? ', required' : ''})${text === '' ? '' : `: ${text}`}`,
  );
}

/** `'/api/v1/orders/' . rawurlencode((string) $orderId) . '/renew'`. Numbers need no escape. */
function withIds(path: string, ids: readonly { readonly name: string; readonly type: string }[]): string {
  let index = 0;
  return path
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => {
      if (!part.startsWith('{')) return `'${part}'`;
      const id = ids[index++];
      if (id?.type === 'int') return `$${id.name}`;
      return `rawurlencode(${id?.type === 'string' ? '' : '(string) '}$${id?.name})`;
    })
    .join(' . ');
}

function signature(name: string, parameters: readonly string[], returns: string): string {
  const oneLine = `    public function ${name}(${parameters.join(', ')}): ${returns}\n    {\n`;
  if (oneLine.indexOf('\n') <= widthMax) return oneLine;
  const rows = parameters.map((each) => `        ${each}`).join(',\n');
  return `    public function ${name}(\n${rows}\n    ): ${returns} {\n`;
}

function wrapped(args: readonly string[]): string {
  const oneLine = args.join(', ');
  if (oneLine.length + 30 <= widthMax) return oneLine;
  return `\n${args.map((each) => `            ${each}`).join(',\n')}\n        `;
}

function docblock(lines: readonly string[]): string {
  const rows = lines.map((line) => (line === '' ? '     *\n' : `     * ${line.replaceAll('*/', '* /')}\n`));
  return `    /**\n${rows.join('')}     */\n`;
}

function blockOf(text: string): string[] {
  return text === '' ? [] : ['', ...paragraph(text)];
}

function paragraph(text: string): string[] {
  return broken(text, '');
}

function hanging(text: string): string[] {
  return broken(text, '  ');
}

function broken(text: string, next: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + word.length + 8 > widthMax) {
      lines.push(line);
      line = next;
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

// The shapes

function shapesFile(operations: readonly ClientOperation[], document: OpenapiDocument): string {
  const { schemas } = document.components;
  const answers = new Map(operations.map(({ name, answer }) => [`${pascalCase(name)}Answer`, answer]));
  const types: string[] = [];
  const add = (name: string, type: string, doc = '') => {
    if (doc !== '') types.push(...paragraph(doc), '');
    types.push(...`@phpstan-type ${name} ${type}`.split('\n'), '');
  };
  for (const [name, schema] of Object.entries(schemas)) if (!answers.has(name)) add(name, typeOf(schema, ''));
  for (const { name, query, answer, takesKey } of operations) {
    const shape = pascalCase(name);
    if (query.length > 0)
      add(
        `${shape}Query`,
        shapeOf(
          query.map((each) => ({ ...each, isRequired: false })),
          '',
        ),
      );
    const replayed = { name: 'replayed', schema: { type: 'boolean' }, isRequired: true };
    const own =
      answer.$ref === undefined
        ? shapeOf([...fieldsOf(answer), ...(takesKey ? [replayed] : [])], '')
        : typeOf(answer, '');
    add(`${shape}Answer`, own);
  }
  const about = [
    'The shapes of requests and answers, for PHPStan and Psalm. The API reference describes their fields.',
    '',
    'Amounts are decimal strings in the currency of the service, such as "12.50". Times are ISO 8601 in UTC.',
    '`replayed` is true if the idempotency key was used before, so nothing was done this time.',
    '',
  ];
  const rows = [...about, ...types.slice(0, -1)].map((line) => (line === '' ? ' *\n' : ` * ${line}\n`));
  return phpFile(`/**\n${rows.join('')} */\ninterface Shapes\n{\n}\n`);
}

function shapeOf(fields: readonly ClientField[], indent: string): string {
  if (fields.length === 0) return 'array<string, mixed>';
  const rows = fields.map(
    ({ name, schema, isRequired }) =>
      `${indent}  ${name}${isRequired ? '' : '?'}: ${typeOf(schema, `${indent}  `)},\n`,
  );
  return `array{\n${rows.join('')}${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.enum !== undefined)
    return schema.enum.map((each) => (typeof each === 'string' ? `'${each}'` : String(each))).join('|');
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((each) => typeOf(each, indent)))].join('|');
  switch (schema.type) {
    case 'string':
    case 'null':
      return schema.type;
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'array':
      return `list<${typeOf(schema.items ?? {}, indent)}>`;
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `array<string, ${typeOf(schema.additionalProperties, indent)}>`;
      return schema.properties === undefined ? 'array<string, mixed>' : shapeOf(fieldsOf(schema), indent);
    case undefined:
      return 'mixed';
    default:
      throw new Error(`The type "${schema.type}" is not known here.`);
  }
}

function codesFile(document: OpenapiDocument): string {
  const rows = errorCodes(document).map((code) => `    public const ${code.toUpperCase()} = '${code}';\n`);
  return phpFile(
    `/** Error codes of the API. New ones may be added: tolerate others. */\nfinal class ErrorCode\n{\n${rows.join('')}}\n`,
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
