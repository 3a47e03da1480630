// Names and integer formats for generated clients. Serializers and validators never see them.

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

/** Some generated clients send null for every unset field. */
const bodyRule = 'Leave out what you do not set: null is refused, like any other wrong type.';

/** Names bodies, answers and pages (PlaceOrderBody, PlaceOrderAnswer, OrderPage). Otherwise each generator invents names. */
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

/** True for the names of bodies, answers and pages; false for those of things, such as Order. */
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

/** "OrderPage" for a page of orders. null for a filterable list: its two kinds of answer are named after the operation. */
function pageName({ properties = {} }: Schema): string | null {
  if ('next_cursor' in properties) return null;
  const item = 'per_page' in properties ? properties['data']?.items?.$ref : undefined;
  return item === undefined ? null : `${item.replace('#/components/schemas/', '')}Page`;
}

const int32Max = 2_147_483_647;

/** Larger integers get no format, because generators turn int64 into bigint, which JSON lacks. */
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
