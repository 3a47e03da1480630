// Chooses the answer's format from `?format=`, else the Accept header.

import { fieldRefusal } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { orRefuse } from './request-refused.ts';

const mediaTypes = { json: 'application/json', csv: 'text/csv', pdf: 'application/pdf' } as const;
export type AnswerFormat = keyof typeof mediaTypes;

/** JSON when no format of the route is requested. @throws RequestRefused */
export function readFormat<Format extends AnswerFormat>(
  query: unknown,
  accept: string | undefined,
  formats: readonly Format[],
): Format | 'json' {
  const sent = isJsonObject(query) ? own(query, 'format') : undefined;
  if (sent !== undefined) {
    const reason = `must be ${formats.join(', ')}`;
    return orRefuse(formats.find((one) => one === sent) ?? fieldRefusal('invalid_filter', 'format', reason));
  }
  const accepted = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
    return { type, quality: Number.isNaN(quality) ? 0 : quality };
  });
  const qualityOf = (format: AnswerFormat) =>
    accepted.find(({ type }) => type === mediaTypes[format])?.quality ?? 0;
  const [best] = formats
    .filter((format) => qualityOf(format) > 0)
    .sort((a, b) => qualityOf(b) - qualityOf(a));
  return best ?? 'json';
}
