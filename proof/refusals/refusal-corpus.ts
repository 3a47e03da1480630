// The recorded file and the language of its cases. A line has one valid request and cases, which change the request ("as
// nobody", "drop customer", "set months=2") and have the recorded answer.

import { readFileSync, writeFileSync } from 'node:fs';

export interface Template {
  readonly method: string;
  /** Names in braces stand for values of the scene, as in `{order}`. In a body, `"{#order}"` becomes a number. */
  readonly path: string;
  readonly as: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface CaseLine {
  readonly name: string;
  readonly request: Template;
  readonly cases: readonly string[];
}

export interface StepLine {
  readonly name: string;
  readonly steps: readonly Template[];
}

export type Line = CaseLine | StepLine;

export interface RecordedLine {
  readonly line: Line;
  readonly answers: readonly string[];
}

const file = new URL('./refusals.jsonl', import.meta.url);

/** `of` gives each case the index of its answer, so that a line has each answer once. */
export function writeCorpus(lines: readonly RecordedLine[]): void {
  const texts = lines.map(({ line, answers }) => {
    const distinct = [...new Set(answers)];
    return JSON.stringify({ ...line, answers: distinct, of: answers.map((each) => distinct.indexOf(each)) });
  });
  writeFileSync(file, `${texts.join('\n')}\n`);
}

export function readCorpus(): readonly RecordedLine[] {
  const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
  return texts.map((text) => {
    const { answers, of, ...line } = JSON.parse(text);
    return { line, answers: of.map((place: number) => answers[place]) };
  });
}

export function labelsOf(line: Line): readonly string[] {
  if ('cases' in line) return line.cases;
  return line.steps.map(({ method, path, as }, at) => `${at + 1}. ${method} ${path} as ${as}`);
}

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly as: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Draft {
  method: string;
  path: string;
  query: string;
  as: string;
  headers: Record<string, string>;
  /** `body` is serialized after all changes. `text` is sent literally in its place. */
  body: unknown;
  text: string | null;
  raw: string[];
}

export function requestOf(template: Template, change: string): PlainRequest {
  const [path = '', query] = template.path.split('?');
  const draft: Draft = {
    method: template.method,
    path,
    query: query === undefined ? '' : `?${query}`,
    as: template.as,
    headers: { ...template.headers },
    // Copied through JSON, as if read from the file, so that no object is shared.
    body: template.body === undefined ? undefined : JSON.parse(JSON.stringify(template.body)),
    text: null,
    raw: [],
  };
  for (const each of change.split(' && ')) applyTo(draft, each);
  return {
    method: draft.method,
    path: repeated(draft.path + draft.query),
    as: draft.as,
    headers: Object.fromEntries(
      Object.entries(draft.headers).map(([name, value]) => [name, repeated(value)]),
    ),
    body: bodyOf(draft),
  };
}

function applyTo(draft: Draft, change: string): void {
  const verb = verbs.find((each) => change === each || change.startsWith(`${each} `));
  if (verb === undefined) throw new Error(`The case "${change}" is not in the language.`);
  const rest = change.slice(verb.length + 1);
  const at = rest.indexOf('=');
  const [name, value] = at < 0 ? [rest, ''] : [rest.slice(0, at), rest.slice(at + 1)];
  switch (verb) {
    case 'plain':
      return;
    case 'as':
      draft.as = rest;
      return;
    case 'method':
      draft.method = rest;
      return;
    case 'path':
      draft.path = draft.path.replace(name, () => value);
      return;
    case 'query':
      draft.query = `?${rest}`;
      return;
    case 'header':
      draft.headers[name] = value;
      return;
    case 'text':
      draft.text = rest;
      return;
    case 'no body':
      draft.body = undefined;
      return;
    case 'set':
      draft.body = changed(draft, name, value);
      return;
    case 'drop':
      draft.body = changed(draft, rest, null);
      return;
    case 'twice':
      draft.body = changed(draft, rest, null, true);
      return;
    default:
      verb satisfies never;
  }
}

const verbs = [
  ...(['plain', 'as', 'method', 'path', 'query', 'header', 'text'] as const),
  ...(['no body', 'set', 'drop', 'twice'] as const),
] as const;

const rawMark = '\u0001raw';

/** Replaces the member at `pointer` ("orders.0.customer") by the JSON text; null: removes it. `isTwice`: duplicates it. */
function changed(draft: Draft, pointer: string, text: string | null, isTwice = false): unknown {
  const steps = pointer.split('.');
  const last = steps.pop() ?? '';
  const body = draft.body ?? {};
  let place = body as Record<string, unknown>;
  for (const step of steps) {
    place[step] ??= {};
    place = place[step] as Record<string, unknown>;
  }
  if (text === null && !isTwice) {
    delete place[last];
    return body;
  }
  const once = JSON.stringify(place[last] ?? null);
  draft.raw.push(text ?? `${once},${JSON.stringify(last)}:${once}`);
  place[last] = `${rawMark}${draft.raw.length - 1}`;
  return body;
}

function bodyOf({ body, text, raw }: Draft): string | undefined {
  if (text !== null) return repeated(text);
  if (body === undefined) return undefined;
  const written = JSON.stringify(body).replace(
    /"\\u0001raw(\d+)"/g,
    (_all, place) => raw[Number(place)] ?? '',
  );
  return repeated(written);
}

/** `«x*300»` is 300 times x. */
function repeated(text: string): string {
  return text.replace(/«(.*?)\*(\d+)»/g, (_all, piece: string, times: string) => piece.repeat(Number(times)));
}
