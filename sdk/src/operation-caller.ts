// From the name of an operation to its request: where it is, what it takes and answers with, and whether it takes an
// idempotency key come from the document (api-types.ts), never from a method's memory.

import { type Answers, type Bodies, operations, type Queries } from './api-types.ts';
import type { Answer, KeyedCallOptions, Transport } from './transport.ts';

type OperationName = keyof typeof operations;

interface OperationArguments<Name extends OperationName> {
  /** What stands in the path: an id, or a month. */
  readonly id?: number | string;
  /** The second id of a path that has two. */
  readonly inner?: number;
  readonly query?: Name extends keyof Queries ? Queries[Name] | undefined : never;
  readonly body?: Name extends keyof Bodies ? Bodies[Name] : never;
  readonly options?: KeyedCallOptions | undefined;
}

export type CallOperation = <Name extends OperationName>(
  name: Name,
  args: OperationArguments<Name>,
) => Promise<Answer<Answers[Name]>>;

export function createOperationCaller(transport: Transport): CallOperation {
  return (name, { id, inner, query, body, options }) => {
    const { method, path, takesKey, holdsKeys } = operations[name];
    return transport.send({
      method,
      path: path
        .replace(/\{\w+\}/, () => encodeURIComponent(String(id)))
        .replace(/\{\w+\}/, () => encodeURIComponent(String(inner))),
      takesKey,
      holdsKeys,
      query,
      body,
      options,
    });
  };
}
