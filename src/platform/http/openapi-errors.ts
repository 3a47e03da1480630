// Errors in openapi.json: all errors of one status share a response, and a route names its own codes.

import { type ErrorCode, errorCatalog, tooLarge } from '../../shared/error-catalog.ts';

interface DocumentedResponse {
  readonly $ref?: string;
  readonly description?: string;
}

interface DocumentedOperation {
  readonly responses?: Readonly<Record<string, DocumentedResponse>>;
}

interface DocumentWithErrors {
  readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> };
}

interface DocumentedError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** "order_not_found: There is no such order. customer_not_found: There is no such customer." */
export function usualSentences(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `${code}: ${errorCatalog[code].message}`).join(' ');
}

/** "order_not_found, customer_not_found". If the body limit differs from the usual one, its code has a sentence. */
export function codesText(codes: readonly ErrorCode[], bodyBytesMax: number): string {
  const { code: unusual, message } = tooLarge(bodyBytesMax);
  const texts = codes.map((code) =>
    code === unusual && message !== errorCatalog[code].message ? `${code}: ${message}` : code,
  );
  return texts.join(', ');
}

/** The errors of a documented operation, parsed back from the document. */
export function documentedErrors(
  { responses = {} }: DocumentedOperation,
  { components }: DocumentWithErrors,
): readonly DocumentedError[] {
  return Object.entries(responses).flatMap(([status, { $ref, description = '' }]) => {
    const shared = components.responses[$ref?.replace('#/components/responses/', '') ?? ''];
    if (shared === undefined) return [];
    const usual = sentencesIn(shared.description ?? '');
    return [...description.matchAll(/(\w+)(?:: (.+?\.))?(?:, |$)/g)].map(([, code = '', own]) => {
      const message = own ?? usual.get(code);
      if (message === undefined) throw new Error(`The document has no sentence for ${code}.`);
      return { status: Number(status), code: code as ErrorCode, message };
    });
  });
}

export function documentedCodes(
  operation: DocumentedOperation,
  document: DocumentWithErrors,
): readonly ErrorCode[] {
  return documentedErrors(operation, document).map(({ code }) => code);
}

function sentencesIn(description: string): ReadonlyMap<string, string> {
  const text = ` ${description}`;
  const found = Object.keys(errorCatalog)
    .map((code) => ({ code, mark: ` ${code}: `, from: text.indexOf(` ${code}: `) }))
    .filter(({ from }) => from >= 0)
    .sort((one, other) => one.from - other.from);
  return new Map(
    found.map(({ code, mark, from }, index) => [
      code,
      text.slice(from + mark.length, found[index + 1]?.from),
    ]),
  );
}
