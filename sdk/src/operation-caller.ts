// Builds an operation's request from the table in api-types.ts: its path, parameters and answer, and whether it takes an
// idempotency key.

import { type Answers, type Bodies, operations, type Queries } from './api-types.ts';
import type { Answer, KeyedCallOptions, Transport } from './transport.ts';

type OperationName = keyof typeof operations;

interface OperationArguments<Name extends OperationName> {
  /** The id in the path, or a month such as "2026-01". */
  readonly id?: number | string;
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
