// What a generated client is made from besides the schemas: names for what each operation takes and answers, and formats
// of integers. Called by openapi.ts with its own copy of a document: serializers and validators know none of it.

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  description?: string;
}

interface Media {
  schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface NamelessDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Generated clients show it where a body is filled in. Some write null for every field that is not set. */
const bodyRule = 'Leave out what you do not set: null is refused, as any other wrong type.';

/**
 * A body is called PlaceOrderBody, a page of a list OrderPage, any other answer PlaceOrderAnswer. A schema that stands
 * inside an operation is called by each generator what it likes, and anew for each operation.
 */
export function nameShapes(document: NamelessDocument): void {
  const schemas = document.components?.schemas ?? {};
  document.components = { ...document.components, schemas };
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { operationId, requestBody, responses = {} } of Object.values(operations)) {
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
      for (const media of Object.values(requestBody?.content ?? {})) {
        media.schema.description ??= bodyRule;
        moveTo(schemas, `${name}Body`, media);
      }
      for (const { content = {} } of Object.values(responses)) {
        const { 'application/json': media } = content;
        if (media !== undefined) moveTo(schemas, pageName(media.schema) ?? `${name}Answer`, media);
      }
    }
  }
}

/** Whether `name` is that of what an operation takes or answers, and not of a thing: Order, Customer. */
export function isShapeName(name: string): boolean {
  return /(?:Body|Answer|Page)$/.test(name);
}

function moveTo(schemas: Record<string, Schema>, name: string, media: Media): void {
  if (media.schema.$ref !== undefined) return;
  const taken = schemas[name];
  if (taken !== undefined && JSON.stringify(taken) !== JSON.stringify(media.schema))
    throw new Error(`Two schemas of the document would be called ${name}.`);
  schemas[name] = media.schema;
  media.schema = { $ref: `#/components/schemas/${name}` };
}

/** Of {data, page, per_page, total}, by what it lists. A list that may be filtered answers in two ways, and has its own. */
function pageName({ properties = {} }: Schema): string | null {
  if ('next_cursor' in properties) return null;
  const item = 'per_page' in properties ? properties['data']?.items?.$ref : undefined;
  return item === undefined ? null : `${item.replace('#/components/schemas/', '')}Page`;
}

const int32Max = 2_147_483_647;

/** int32 where it fits. What may be larger has no format: from int64 generators make bigint, which is no JSON. */
export function nameIntegerFormats(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  if ('type' in part && part.type === 'integer' && !('format' in part)) {
    const maximum = 'maximum' in part ? part.maximum : undefined;
    const values = 'enum' in part ? part.enum : undefined;
    const largest = Array.isArray(values) ? Math.max(...values) : maximum;
    if (typeof largest === 'number' && largest <= int32Max) Object.assign(part, { format: 'int32' });
  }
  for (const inner of Object.values(part)) nameIntegerFormats(inner);
}
