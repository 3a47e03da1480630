// The errors of an operation of openapi.json, read from the document again: for the reference, the client's types and tests.

import { type ErrorCode, errorCatalogue } from '../../shared/error-catalogue.ts';

interface DocumentedOperation {
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

interface DocumentedError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The codes that an operation of a document answers with, and what it says of each: what was written into it, read again. */
export function documentedErrors({ responses = {} }: DocumentedOperation): readonly DocumentedError[] {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return Object.entries(responses).flatMap(([status, { description = '' }]) => {
    const text = ` ${description}`;
    const found = codes
      .map((code) => ({ code, mark: ` ${code}: `, from: text.indexOf(` ${code}: `) }))
      .filter(({ from }) => from >= 0)
      .sort((one, other) => one.from - other.from);
    return found.map(({ code, mark, from }, index) => ({
      status: Number(status),
      code,
      message: text.slice(from + mark.length, found[index + 1]?.from),
    }));
  });
}

export function documentedCodes(operation: DocumentedOperation): readonly ErrorCode[] {
  return documentedErrors(operation).map(({ code }) => code);
}
