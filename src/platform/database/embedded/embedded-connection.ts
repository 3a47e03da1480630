// One connection to the embedded PostgreSQL: a stream that `pg` uses as a socket. It parses just enough of the wire protocol
// to see where frames end and when the session starts and terminates.
// Invariant: the worker receives only whole frames, and none after the session has terminated.

import { Duplex } from 'node:stream';
import type { SessionSetting } from './embedded-worker.ts';

export class EmbeddedServerFailed extends Error {
  override readonly name = 'EmbeddedServerFailed';
}

export interface WorkerLink {
  start(connection: EmbeddedConnection, settings: readonly SessionSetting[]): void;
  run(connection: EmbeddedConnection, bytes: Uint8Array<ArrayBuffer>): void;
  leave(connection: EmbeddedConnection): void;
}

const protocolVersion3 = 3;
const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;
const terminate = 0x58;

/** Sent after every request. It makes COPY FROM STDIN fail, because PGlite cannot wait for data. Otherwise it is ignored. */
const copyFail = Buffer.from('f\0\0\0\x34COPY FROM STDIN is for a PostgreSQL server only\0', 'latin1');

export class EmbeddedConnection extends Duplex {
  readonly number: number;
  readonly #link: WorkerLink;
  #state: 'starting' | 'started' | 'ended' = 'starting';
  #written: Buffer[] = [];

  constructor(number: number, link: WorkerLink) {
    super();
    this.number = number;
    this.#link = link;
  }

  connect(): this {
    process.nextTick(() => {
      if (!this.destroyed) this.emit('connect');
    });
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  /** ref and unref do nothing: the worker thread keeps the process alive. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  answer(bytes: Uint8Array<ArrayBuffer>): void {
    this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  refuse(bytes: Uint8Array<ArrayBuffer>): void {
    this.answer(bytes);
    this.#end();
  }

  #send(): void {
    if (this.#state === 'starting') this.#readStartup();
    if (this.#state === 'started') this.#forwardFrames();
  }

  override _read(): void {}

  // Corked frames (pg-session.ts) go to the worker as one message: a hop between threads costs as much as several statements.
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    for (const { chunk } of chunks) this.#written.push(chunk);
    this.#send();
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#state = 'ended';
    this.#link.leave(this);
    done(error);
  }

  #forwardFrames(): void {
    const length = this.#written.reduce((sum, chunk) => sum + chunk.length, 0);
    if (length === 0) return;
    // allocUnsafeSlow: the memory is transferred to the worker, so it must not come from Buffer's pool.
    const bytes = Buffer.allocUnsafeSlow(length + copyFail.length);
    let offset = 0;
    for (const chunk of this.#written) offset += chunk.copy(bytes, offset);
    let end = 0;
    let terminated = false;
    while (end + 5 <= length && !terminated) {
      const next = end + 1 + bytes.readInt32BE(end + 1);
      if (next < end + 5) {
        this.destroy(
          new EmbeddedServerFailed('The bytes sent to the embedded database are not in its protocol'),
        );
        return;
      }
      if (next > length) break;
      terminated = bytes[end] === terminate;
      if (!terminated) end = next;
    }
    this.#written = end === length ? [] : [Buffer.from(bytes.subarray(end, length))];
    if (end > 0) {
      copyFail.copy(bytes, end);
      this.#link.run(this, bytes.subarray(0, end + copyFail.length));
    }
    if (terminated) this.#end();
  }

  #readStartup(): void {
    for (;;) {
      const bytes = Buffer.concat(this.#written);
      this.#written = [bytes];
      if (bytes.length < 8) return;
      const length = bytes.readInt32BE(0);
      if (bytes.length < length) return;
      const code = bytes.readInt32BE(4);
      this.#written = [bytes.subarray(length)];
      if (code === sslRequest || code === gssRequest) {
        this.push('N');
      } else if (code >> 16 === protocolVersion3) {
        this.#state = 'started';
        this.#link.start(this, readSettings(bytes.toString('utf8', 8, length)));
        return;
      } else if (code === cancelRequest) {
        this.#end();
        return;
      } else {
        this.destroy(new EmbeddedServerFailed(`The embedded database does not speak protocol ${code >> 16}`));
        return;
      }
    }
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#written = [];
    this.#link.leave(this);
    this.push(null);
    this.end();
  }
}

function readSettings(parameters: string): SessionSetting[] {
  const settings: SessionSetting[] = [];
  const words = parameters.split('\0');
  for (let index = 0; index + 1 < words.length; index += 2) {
    const name = words[index];
    const value = words[index + 1];
    if (name === undefined || value === undefined || name === '') break;
    if (name === 'options') {
      for (const [, key, text] of value.matchAll(/(?:-c\s*|--)([\w.-]+)=((?:\\.|\S)*)/g)) {
        if (key !== undefined && text !== undefined)
          settings.push({ name: key.replaceAll('-', '_'), value: text.replace(/\\(.)/g, '$1') });
      }
    } else if (!['user', 'database', 'replication'].includes(name) && !name.startsWith('_pq_.')) {
      settings.push({ name, value });
    }
  }
  return settings;
}
