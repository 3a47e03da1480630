// Hashes passwords as argon2id with OWASP's parameters, in PHC format. A hash takes 19 MiB and a pool thread, so few run at
// once. Networks take turns, so a flood delays only itself.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Overloaded } from '../../shared/overloaded.ts';
import { createFairQueue } from '../limits/fair-queue.ts';
import { randomBase62 } from './random-text.ts';

/** `memory` in KiB. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
}

/** When this is raised, each stored hash is replaced at the person's next sign-in. */
export const passwordCost: PasswordCost = { memory: 19_456, passes: 2 };
const shape = { parallelism: 1, tagLength: 32 } as const;
const parallelHashesMax = 2;
const waitingHashesMax = 60;

const derive = promisify(argon2);
let running = 0;
const queue = createFairQueue<string, WaitingHash>(waitingHashesMax);

interface WaitingHash {
  start(): void;
  refuse(): void;
}

const ownTurn = 'own';

export function mintPassword(): string {
  return randomBase62(22);
}

/** `network`: the sender's (addressOwner). @throws Overloaded */
export async function hashPassword(
  password: string,
  { cost = passwordCost, network = ownTurn }: { cost?: PasswordCost; network?: string } = {},
): Promise<string> {
  const nonce = randomBytes(16);
  const { memory, passes } = cost;
  const tag = await limited(network, () =>
    derive('argon2id', { message: password, nonce, memory, passes, ...shape }),
  );
  return hashText(cost, nonce, tag);
}

/** Checked if there is no stored hash, so that the answer takes equally long. */
const nobodysHash = hashText(passwordCost, randomBytes(16), randomBytes(32));

/** `stored`: null if there is no account or password. Takes equally long in every case. @throws Overloaded */
export async function isRightPassword(
  password: string,
  stored: string | null,
  network: string,
): Promise<boolean> {
  const isHash = stored?.startsWith('$argon2id$') === true;
  const matches = await verifyPassword(password, isHash ? stored : nobodysHash, network);
  return isHash && matches;
}

export function isOutdatedHash(stored: string, { memory, passes }: PasswordCost): boolean {
  const [, storedMemory, storedPasses] = hashPattern.exec(stored) ?? [];
  return Number(storedMemory) < memory || Number(storedPasses) < passes;
}

/** False if the password is wrong, or if `stored` is not one of our hashes. @throws Overloaded */
export async function verifyPassword(password: string, stored: string, network = ownTurn): Promise<boolean> {
  const match = hashPattern.exec(stored);
  if (match === null) return false;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await limited(network, () =>
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

const hashPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function hashText({ memory, passes }: PasswordCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${shape.parallelism}$${base64(salt)}$${base64(tag)}`;
}

async function limited<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
  if (running < parallelHashesMax) running += 1;
  else await turnOf(network);
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next.start();
  }
}

function turnOf(network: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Overloaded('Too many passwords are waiting to be checked.'));
    queue.push(network, { start: resolve, refuse })?.refuse();
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
