// Types for the parts of OpenAPI and JSON Schema that openapi.json uses.

import { isShapeName } from '../../src/platform/http/openapi-names.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
}

interface Media {
  readonly schema: Schema;
  readonly example?: Readonly<Record<string, unknown>>;
}

interface Contents {
  readonly 'application/json'?: Media;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: string | number;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': Media };
    readonly required?: boolean;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        /** Set for errors; written by openapi-errors.ts. */
        readonly $ref?: string;
        readonly content?: { readonly 'application/json': Media };
        readonly description?: string;
      }
    >
  >;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, { readonly description?: string }>>;
  };
}

export interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf({ paths, components }: OpenapiDocument): readonly Place[] {
  const written = <Content extends Contents>(content: Content): Content => {
    const media = content['application/json'];
    const name = media?.schema.$ref?.replace('#/components/schemas/', '');
    const schema = name !== undefined && isShapeName(name) ? components.schemas[name] : undefined;
    return schema === undefined ? content : { ...content, 'application/json': { ...media, schema } };
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { requestBody: body, responses } = operation;
      const answers = Object.entries(responses).map(([status, answer]) => [
        status,
        answer.content === undefined ? answer : { ...answer, content: written(answer.content) },
      ]);
      return {
        method: method.toUpperCase(),
        path,
        operation: {
          ...operation,
          ...(body === undefined ? {} : { requestBody: { ...body, content: written(body.content) } }),
          responses: Object.fromEntries(answers),
        },
      };
    }),
  );
}

export function successOf({ operationId, responses }: Operation): {
  readonly status: number;
  readonly schema: Schema;
} {
  const [status, answer] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  const media = answer?.content?.['application/json'];
  if (media === undefined) throw new Error(`${operationId} has no answer.`);
  return { status: Number(status), schema: media.schema };
}
