// Sends a line's requests and returns their answers, without messages: "422 invalid_months {...}", or the status of a
// success.

import { sendRequest, type WholeAnswer } from '../../scripts/throwaway/send-request.ts';
import { type Line, type PlainRequest, requestOf } from './refusal-corpus.ts';
import type { Place, RefusalScene } from './refusal-scene.ts';

export async function answersOf(scene: RefusalScene, line: Line): Promise<readonly string[]> {
  const answers: string[] = [];
  const isShared = ofAll.test(JSON.stringify(line));
  let place = scene.newPlace();
  if ('steps' in line) {
    for (const step of line.steps) answers.push(await answerTo(scene, place, requestOf(step, 'plain')));
  } else {
    for (const each of line.cases) {
      const request = requestOf(line.request, each);
      const answer = await answerTo(scene, place, request);
      answers.push(answer);
      // After a request with an effect, the next ones get a new place, so that the effect does not disturb them.
      if (isWithoutEffect(request, answer)) continue;
      place = scene.newPlace();
      if (isShared) await scene.tidy();
    }
  }
  if (isShared) await scene.tidy();
  return answers;
}

function isWithoutEffect({ method }: PlainRequest, answer: string): boolean {
  const isRefused = Number(answer.slice(0, 3)) >= 400;
  // The last condition is for a bulk in which no order succeeded.
  return (
    isRefused || ['GET', 'HEAD'].includes(method) || (answer.includes(' | ') && !answer.includes('| ok'))
  );
}

const ofAll = /\/admin\/v1\/(?:webhooks|product|brand)/;

async function answerTo(
  { service }: RefusalScene,
  place: Place,
  { method, path, as, headers, body }: PlainRequest,
): Promise<string> {
  const url = service.address + (await place.fill(path));
  const filled = body === undefined ? undefined : await place.fill(body);
  const answer = await sendRequest(url, {
    method,
    headers: { ...(await place.headersOf(as)), ...JSON.parse(await place.fill(JSON.stringify(headers))) },
    body: filled,
  });
  return wordsOf(answer, place);
}

function wordsOf({ status, headers, text }: WholeAnswer, place: Place): string {
  const isJson = headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const body = isJson ? JSON.parse(text) : null;
  if (status < 400) {
    const results: readonly { error?: RefusedError }[] = Array.isArray(body?.results) ? body.results : [];
    const refused = results.map(({ error }) => (error === undefined ? 'ok' : errorWords(error, place)));
    return [status, ...refused].join(' | ');
  }
  if (body?.error === undefined)
    return text === '' ? String(status) : `${status} ${headers.get('content-type')}`;
  return `${status} ${errorWords(body.error, place)}`;
}

interface RefusedError {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

function errorWords({ code, details }: RefusedError, place: Place): string {
  const named = Object.entries(details)
    .filter(([, value]) => !isSentence(value))
    .map(([name, value]) => [name, place.nameOf(value)]);
  return named.length === 0 ? code : `${code} ${JSON.stringify(Object.fromEntries(named))}`;
}

function isSentence(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z].* .*\.$/.test(value);
}
