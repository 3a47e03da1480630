// A set of SHA-256 hashes that keeps 64 bits of each, which is enough for a million keys. Attackers cannot search for
// collisions, because the contents are secret.
// Invariant: the set only grows, and each step touches at most a 256th of it.

export interface HashSet {
  has(hash: string): boolean;
  add(hash: string): void;
  size(): number;
}

const partCount = 256;
const slotsMin = 16;
const loadMax = 0.75;

/** A hash table with open addressing. A slot has two words, both 0 while it is free. */
interface Part {
  words: Uint32Array;
  count: number;
}

export function createHashSet(max: number): HashSet {
  const parts: Part[] = Array.from({ length: partCount }, () => ({
    words: new Uint32Array(slotsMin * 2),
    count: 0,
  }));
  let size = 0;

  return {
    has(hash) {
      const { part, high, low } = placeOf(hash);
      return part !== undefined && part.words[slotOf(part.words, high, low)] !== 0;
    },
    add(hash) {
      const { part, high, low } = placeOf(hash);
      if (part === undefined || size >= max) return;
      if (part.words[slotOf(part.words, high, low)] !== 0) return;
      if ((part.count + 1) * 2 > part.words.length * loadMax) part.words = doubled(part.words);
      put(part.words, high, low);
      part.count += 1;
      size += 1;
    },
    size: () => size,
  };

  function placeOf(hash: string) {
    const bytes = Buffer.from(hash, 'base64url');
    // Set a bit, because 0 marks a free slot.
    const high = (bytes.readUInt32LE(0) | 1) >>> 0;
    return { part: parts[bytes.readUInt8(8)], high, low: bytes.readUInt32LE(4) };
  }
}

function slotOf(words: Uint32Array, high: number, low: number): number {
  const mask = words.length - 1;
  let slot = (low * 2) & mask;
  while (words[slot] !== 0 && (words[slot] !== high || words[slot + 1] !== low)) slot = (slot + 2) & mask;
  return slot;
}

function put(words: Uint32Array, high: number, low: number): void {
  const slot = slotOf(words, high, low);
  words[slot] = high;
  words[slot + 1] = low;
}

function doubled(words: Uint32Array): Uint32Array {
  const larger = new Uint32Array(words.length * 2);
  for (let slot = 0; slot < words.length; slot += 2) {
    const high = words[slot] ?? 0;
    if (high !== 0) put(larger, high, words[slot + 1] ?? 0);
  }
  return larger;
}
