// A logged request as a command for a shell. The key is never logged, so a variable stands for it.

import type { RequestDetail } from '../../api/shapes.ts';

export function asCurl({ request, exchange }: RequestDetail, apiUrl: string): string {
  const { method, path } = request;
  const {
    query = null,
    idempotency_key: key = null,
    content_type: type = null,
    body = null,
  } = exchange?.sent ?? {};
  const address = `${new URL(apiUrl).origin}${path}${query === null ? '' : `?${query.replace(/^\?/, '')}`}`;
  return [
    `curl -i -X ${method} ${quoted(address)}`,
    `-H "Authorization: Bearer $SELLTHROUGH_KEY"`,
    ...(key === null ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(type === null ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`]),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
