// Records docs/reference/answers.jsonl: the service's answer to each request of the story (api-story.ts). Called by
// generate.ts, so that the reference can be built without a service.

import { keyOf, type StoryWorld } from './api-story.ts';
import type { OpenapiDocument } from './openapi-document.ts';
import { queryText, type SampleRequest } from './request-samples.ts';
import { loginCode, storyOf } from './story-requests.ts';

export interface StoryAnswer {
  readonly operationId: string;
  readonly status: number;
  readonly body: unknown;
}

export async function recordAnswers(document: OpenapiDocument, world: StoryWorld): Promise<string> {
  const { service, environmentOf } = world;
  const lines: string[] = [];
  for (const request of storyOf(document)) {
    const { operationId, method, path, client, idempotencyKey } = request;
    const environment = await environmentOf(operationId);
    const answer = await fetch(service.address + path + queryText(request.query), {
      method,
      headers: {
        authorization: `Bearer ${keyOf(world, client)}`,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(request.body === undefined ? {} : { body: bodyText(request, environment) }),
    });
    const body = withoutSecrets(await answer.json());
    lines.push(`${JSON.stringify({ operationId, status: answer.status, body } satisfies StoryAnswer)}\n`);
  }
  return lines.join('');
}

function bodyText({ body }: SampleRequest, environment: Readonly<Record<string, string>>): string {
  return JSON.stringify(body, (_name, value) =>
    value === loginCode ? environment[loginCode.environment] : value,
  );
}

function withoutSecrets(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replace(/sk_live_[A-Za-z0-9]{46}/g, 'sk_live_…')
    .replace(/whsec_[A-Za-z0-9+/=]{44}/g, 'whsec_…')
    .replace(/cs_test_[A-Za-z0-9]+/g, 'cs_test_…')
    .replace(/("last_four":")[^"]*"/g, '$1…"')
    .replace(/("password":")[^"]*"/g, '$1…"')
    .replace(/("next_cursor":")[^"]*"/g, '$1…"')
    .replace(/(\/login\/|#token=)[A-Za-z0-9_-]+/g, '$1…')
    // This number starts with the time when the database was created, so replace it.
    .replace(/("packages_version":)\d+/, '$1 17');
  return JSON.parse(text);
}
