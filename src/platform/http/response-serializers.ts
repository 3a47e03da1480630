// The functions that write a route's answers as JSON, each made from its schema when it is first needed, and once for all
// routes with an equal schema. Making all of them was much of what a start computed, and most routes never answer with most
// of their codes. A schema that leads nowhere is found all the same: openapi.json cannot be made of it.

import { hash } from 'node:crypto';
import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

type Serializer = ReturnType<SerializerCompiler>;

/** By a hash of the schema and of those it may refer to: the same for every service of this process. */
const known = new Map<string, Serializer>();

/** For Fastify's `schemaController.compilersFactory.buildSerializer`. */
export function createLazySerializers(): SerializerFactory {
  const buildSerializer = SerializerSelector();
  return (externalSchemas, options): SerializerCompiler => {
    const compile = buildSerializer(externalSchemas, options);
    const shared = JSON.stringify(externalSchemas ?? {});
    return (route) => {
      let serialize: Serializer | undefined;
      return (answer) => {
        if (serialize === undefined) {
          const key = hash('sha256', `${shared} ${JSON.stringify(route.schema)}`);
          serialize = known.get(key) ?? compile(route);
          known.set(key, serialize);
        }
        return serialize(answer);
      };
    };
  };
}
