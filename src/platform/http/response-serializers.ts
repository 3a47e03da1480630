// JSON serializers, compiled on first use: compiling all of them took most of the start.

import { hash } from 'node:crypto';
import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

type Serializer = ReturnType<SerializerCompiler>;

const known = new Map<string, Serializer>();

export function createLazySerializers(): SerializerFactory {
  const buildSerializer = SerializerSelector();
  return (externalSchemas, options): SerializerCompiler => {
    const compile = buildSerializer(externalSchemas, options);
    const shared = hash('sha256', JSON.stringify(externalSchemas ?? {}));
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
