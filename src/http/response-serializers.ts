// The functions that write a route's answers as JSON, each made from its schema when it is first needed. Making all of
// them was much of what a start computed, and most routes never answer with most of their codes. A schema that leads
// nowhere is found all the same: openapi.json cannot be made of it.

import {
  type SerializerCompiler,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

/** For Fastify's `schemaController.compilersFactory.buildSerializer`. */
export function createLazySerializers(): SerializerFactory {
  const buildSerializer = SerializerSelector();
  return (externalSchemas, options): SerializerCompiler => {
    const compile = buildSerializer(externalSchemas, options);
    return (route) => {
      let serialize: ReturnType<SerializerCompiler> | undefined;
      return (answer) => {
        serialize ??= compile(route);
        return serialize(answer);
      };
    };
  };
}
