// Reads the panel's event stream as a page does.

import assert from 'node:assert/strict';
import { ownPages, type PanelClient } from './panel-client.ts';

export interface StreamReader {
  /** Topics of `open`. */
  readonly topics: readonly string[];
  readonly headers: Headers;
  /** Reads until this topic changed, and returns those that changed until then. @throws if the stream ends */
  until(topic: string): Promise<readonly string[]>;
  /** Reads until the service ends the stream. */
  untilEnd(): Promise<void>;
  /** Everything that came, as text. */
  text(): string;
  leave(): void;
}

export const streamHeaders = { ...ownPages, accept: 'text/event-stream' };

export async function openPanelStream(
  address: string,
  { cookie }: Pick<PanelClient, 'cookie'>,
  more: Readonly<Record<string, string>> = {},
): Promise<StreamReader> {
  const leaving = new AbortController();
  const response = await fetch(`${address}/panel/api/stream`, {
    headers: { ...streamHeaders, cookie, ...more },
    signal: leaving.signal,
  });
  assert.equal(response.status, 200);
  const { body, headers } = response;
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let readTo = 0;

  async function readMore(): Promise<boolean> {
    const { value, done } = await reader.read();
    text += value ?? '';
    return !done;
  }

  async function nextEvent(): Promise<{ event: string; data: string }> {
    for (;;) {
      const match = /event: (.*)\ndata: (.*)\n\n/.exec(text.slice(readTo));
      if (match !== null) {
        readTo += match.index + match[0].length;
        return { event: match[1] ?? '', data: match[2] ?? '' };
      }
      assert.ok(await readMore(), 'the stream ended');
    }
  }

  const first = await nextEvent();
  assert.equal(first.event, 'open');
  return {
    topics: first.data.split(' '),
    headers,
    async until(topic) {
      const seen: string[] = [];
      while (!seen.includes(topic)) {
        const { event, data } = await nextEvent();
        assert.equal(event, 'changed');
        seen.push(data);
      }
      return seen;
    },
    async untilEnd() {
      while (await readMore());
    },
    text: () => text,
    leave: () => leaving.abort(),
  };
}
