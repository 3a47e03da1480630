// A naive model of shared-limits.lua that stores every admission. It takes the script's KEYS and ARGV.

interface Failures {
  count: number;
  waitUntil: number;
  last: number;
}

export interface LimitModel {
  /** @param now in microseconds */
  run(keys: readonly string[], words: readonly string[], now: number): number[];
  clear(): void;
  size(key: string): number;
}

export function createLimitModel(): LimitModel {
  const windows = new Map<string, number[]>();
  const failures = new Map<string, Failures>();

  return {
    clear() {
      windows.clear();
      failures.clear();
    },
    size: (key) => windows.get(key)?.length ?? 0,
    run(keys, words, now) {
      const nextKey = reader(keys, String);
      const nextWord = reader(words, String);
      const next = () => Number(nextWord());
      const latest = now + next();
      const said = [now];
      let read = 1;
      const number = () => {
        read += 1;
        return next();
      };

      function open(length: number) {
        const key = nextKey();
        const moments = (windows.get(key) ?? [])
          .filter((moment) => moment > now - length)
          .map((moment) => Math.min(moment, latest));
        windows.set(key, moments);
        return { moments, length };
      }
      type Window = ReturnType<typeof open>;

      function add({ moments }: Window, count: number, moment: number): void {
        const at = Math.max(moment, moments.at(-1) ?? 0);
        for (let added = 0; added < count; added += 1) moments.push(at);
      }

      function giveBack({ moments }: Window, moment: number, count: number): void {
        const place = moments.findLastIndex((each) => each <= moment);
        const newest = moments[place];
        if (newest === undefined) return;
        const same = moments.filter((each) => each === newest).length;
        const first = place - Math.min(count, same) + 1;
        moments.splice(first, place - first + 1);
      }

      function untilLeft({ moments, length }: Window, count: number): number {
        const moment = count <= 0 ? undefined : moments[Math.min(count, moments.length) - 1];
        return moment === undefined ? 0 : moment + length - now;
      }

      function openFailures(key: string, waitMax: number, forgetAfter: number): Failures {
        const { count, waitUntil, last } = failures.get(key) ?? { count: 0, waitUntil: 0, last: 0 };
        const isOver = Math.min(last, now) + forgetAfter < now;
        return {
          count: isOver ? 0 : count,
          waitUntil: isOver ? 0 : Math.min(waitUntil, now + waitMax),
          last: Math.min(last, now),
        };
      }

      const operations: Readonly<Record<string, () => void>> = {
        take() {
          const [windowCount, wanted, reservedWanted] = [number(), number(), number()];
          const [isPartial, isInTurn] = [number() === 1, number() === 1];
          const opened = Array.from({ length: windowCount }, () => {
            const length = number();
            const window = open(length);
            const limit = number();
            const returned = number();
            if (returned > 0) giveBack(window, returned, 1);
            return { ...window, limit, before: window.moments.length };
          });
          const room = opened.map(({ limit, before }) => Math.max(0, limit - before));
          let admitted = wanted;
          let refused = -1;
          for (const [place, left] of room.entries()) {
            if (left >= admitted || (refused >= 0 && !isPartial)) continue;
            refused = place;
            admitted = isPartial ? left : 0;
          }
          let reserved = refused >= 0 ? 0 : reservedWanted;
          for (const { limit, before } of opened)
            reserved = Math.max(0, Math.min(reserved, Math.floor((limit - before - admitted) / 10)));
          const moments = opened.map((window, place) => {
            const count = isInTurn && place < refused ? wanted : admitted;
            add(window, count, now);
            const moment = count > 0 ? (window.moments.at(-1) ?? 0) : 0;
            add(window, reserved, latest);
            return moment;
          });
          const short = opened[refused];
          const needed = short === undefined ? 0 : Math.min(isPartial ? 1 : wanted, short.limit);
          const wait =
            short === undefined ? 0 : untilLeft(short, short.moments.length + needed - short.limit);
          said.push(admitted, reserved, refused + 1, wait);
          for (const [place, window] of opened.entries()) {
            const used = window.moments.length;
            said.push(used, untilLeft(window, Math.max(1, used + 1 - window.limit)), moments[place] ?? 0);
          }
        },
        back() {
          for (let left = number(); left > 0; left -= 1) giveBack(open(number()), number(), number());
        },
        try() {
          const [failuresCount, windowCount] = [number(), number()];
          const pairs = Array.from({ length: failuresCount }, () => {
            const key = nextKey();
            const [free, waitMax, forgetAfter] = [number(), number(), number()];
            const found = openFailures(key, waitMax, forgetAfter);
            return { key, free, waitMax, found, wait: Math.max(0, found.waitUntil - now) };
          });
          const opened = Array.from({ length: windowCount }, () => {
            const window = open(number());
            return { window, wait: untilLeft(window, window.moments.length + 1 - number()) };
          });
          const isHeld = [...pairs, ...opened].some(({ wait }) => wait > 0);
          if (!isHeld) {
            for (const { key, free, waitMax, found } of pairs) {
              found.count += 1;
              found.last = now;
              const beyond = found.count - free;
              found.waitUntil =
                now + (beyond < 0 ? 0 : Math.min(waitMax, 2 ** Math.min(beyond, 30) * 1_000_000));
              failures.set(key, found);
            }
            for (const { window } of opened) add(window, 1, now);
          }
          said.push(isHeld ? 0 : 1);
          for (const { wait, found } of pairs) said.push(wait, found.count);
          for (const { wait, window } of opened) said.push(wait, isHeld ? 0 : (window.moments.at(-1) ?? 0));
        },
        undo() {
          for (let left = number(); left > 0; left -= 1) {
            const key = nextKey();
            const [free, waitMax, forgetAfter] = [number(), number(), number()];
            const found = openFailures(key, waitMax, forgetAfter);
            const [count, last] = [number(), number()];
            const isNewest = found.count === count && found.last === last;
            found.count -= 1;
            if (isNewest || found.count < free) found.waitUntil = 0;
            if (found.count > 0) failures.set(key, found);
            else failures.delete(key);
          }
        },
        forget() {
          for (let left = number(); left > 0; left -= 1) failures.delete(nextKey());
        },
      };

      while (read < words.length) {
        read += 1;
        const name = nextWord();
        const operation = operations[name];
        if (operation === undefined) throw new Error(`There is no operation "${name}".`);
        operation();
      }
      return said;
    },
  };
}

function reader<Value>(values: readonly string[], parse: (text: string) => Value): () => Value {
  let place = 0;
  return () => {
    const text = values[place];
    if (text === undefined) throw new Error('The call is too short.');
    place += 1;
    return parse(text);
  };
}
