// Passwords: argon2id with OWASP's parameters, kept in the PHC string format. At most a few hashes run at
// once: each takes 19 MiB and a thread of the pool, and a flood of sign-ins must not take them all.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { randomBase62 } from './api-key.ts';

const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const parallelHashesMax = 2;

const derive = promisify(argon2);
let running = 0;
const queue: (() => void)[] = [];

export function mintPassword(): string {
  return randomBase62(20);
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await limited(() => derive('argon2id', { message: password, nonce: salt, ...parameters }));
  const { memory, passes, parallelism } = parameters;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** false for a wrong password, and for a stored text that is no hash of ours. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
    stored,
  );
  if (match === null) return false;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await limited(() =>
    derive('argon2id', {
      message: password,
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: expected.length,
    }),
  );
  return timingSafeEqual(actual, expected);
}

async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= parallelHashesMax) await new Promise<void>((resolve) => queue.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    queue.shift()?.();
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
