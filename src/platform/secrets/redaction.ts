// Redacts and truncates requests and answers for storage, for accounts that enabled body capture.
// Invariant: redaction precedes truncation, so that no half secret remains. Fields are judged by name, texts by shape. In
// text that is not JSON, everything after the name of a secret is removed.

export const mask = '[redacted]';

export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

const secretName =
  /pass(?:word|wd|phrase|code)|\bpass\b|pwd|secret|token|api[_-]?key|authori[sz]ation|bearer|cookie|credential|private[_-]?key|login[_-]?(?:url|link)|totp|otp\b|recovery/i;
/** The `url` of these objects is secret, such as the link of an invitation. */
const secretUrlHolders = /invitation|password[_-]?link/i;
/** A `code` of this form is an error code and harmless. Other codes may be sign-in codes. */
const harmlessCode = /^[a-z][a-z_]{0,63}$/;
const idempotencyName = /^idempotency[_-]?key$/i;

const shapes: readonly (readonly [RegExp, string])[] = [
  [/[sr]k_(?:live|test)_[0-9A-Za-z_-]*/gi, mask],
  [/whsec_[0-9A-Za-z+/_-]*={0,2}/gi, mask],
  [/otpauth:[^\s"'\\]*/gi, mask],
  [/\bbearer\s+[\w.~+/=-]{16,}/gi, mask],
  [/(:\/\/)[^/\s"'@\\]+@/g, `$1${mask}@`],
  [/(\/(?:login|invite|password)\/)[^\s"'?#\\]+/gi, `$1${mask}`],
  // The lookaheads keep the time linear, however long a name is.
  [
    /([?&#;](?=[\w.-]+=)(?=[\w.-]*?(?:token|code|key|secret|password|pwd|sig|auth|session))[\w.-]+=)[^&\s"'#\\]*/gi,
    `$1${mask}`,
  ],
];

/** Our keys, tokens, sessions and codes are 40+ random characters of several kinds; other systems' ids are shorter. */
const randomText = /[0-9A-Za-z_+/-]{32,}={0,2}/g;

function isRandom(text: string): boolean {
  return /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && !/^auto_[0-9A-Za-z]{24}$/.test(text);
}

function withoutShapes(text: string): string {
  return shapes.reduce((rest, [shape, instead]) => rest.replace(shape, instead), text);
}

export function redactedText(text: string): string {
  const shown = withoutShapes(beforeQuotedSecret(text));
  return shown.replace(randomText, (found) => (isRandom(found) ? mask : found));
}

/** In quoted JSON, cuts the text off where the name of a secret begins, at any depth of quoting. */
function beforeQuotedSecret(text: string): string {
  for (const { 1: name = '', index } of text.matchAll(/["']([\w-]{1,100})\\*["']\s*:/g)) {
    if (secretName.test(name)) return `${text.slice(0, index)}${mask}`;
  }
  return text;
}

/** Idempotency keys look random but are not secret, unless a client sends one of our keys as such. */
export function redactedIdempotencyKey(text: string): string {
  return withoutShapes(text);
}

export function redactedJson(value: unknown, bytesMax: number): CutText {
  let text = '';
  const isFull = () => text.length > bytesMax;
  const write = (inner: unknown, name: string, holder: string): void => {
    if (isFull()) return;
    if (Array.isArray(inner)) {
      text += '[';
      for (const [index, item] of inner.entries()) {
        if (isFull()) return;
        if (index > 0) text += ',';
        write(item, name, holder);
      }
      text += ']';
    } else if (typeof inner === 'object' && inner !== null) {
      text += '{';
      let isFirst = true;
      for (const [key, item] of Object.entries(inner)) {
        if (isFull()) return;
        text += `${isFirst ? '' : ','}${JSON.stringify(redactedText(key))}:`;
        isFirst = false;
        if (isSecret(key, item, name) || (valueName.test(key) && namesSecret(inner)))
          text += JSON.stringify(mask);
        else write(item, key, name);
      }
      text += '}';
    } else if (typeof inner === 'string') {
      text += JSON.stringify(
        idempotencyName.test(name) ? redactedIdempotencyKey(inner) : redactedText(inner),
      );
    } else text += JSON.stringify(inner) ?? 'null';
  };
  write(value, '', '');
  return cutTo(text, bytesMax);
}

/** Fields of pairs such as {"name": "password", "value": "…"}. */
const valueName = /^(?:value|val|content)$/i;
const nameName = /^(?:name|key|field|header|label|id)$/i;

function namesSecret(pair: object): boolean {
  return Object.entries(pair).some(
    ([key, name]) => nameName.test(key) && typeof name === 'string' && secretName.test(name),
  );
}

function isSecret(name: string, value: unknown, holder: string): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false;
  if (/^url$/i.test(name) && secretUrlHolders.test(holder)) return true;
  if (/^code$/i.test(name)) return typeof value !== 'string' || !harmlessCode.test(value);
  return secretName.test(name);
}

export function redactedRaw(sent: string, bytesMax: number): CutText {
  // Names may contain escapes or NULs (UTF-16).
  const text = sent
    .replaceAll('\0', '')
    .replace(/%([0-7][0-9a-f])/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\u([0-9a-f]{4})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\p{Cc}/gu, (found) => (/[\n\r\t]/.test(found) ? found : '\uFFFD'))
    .toWellFormed();
  const place = text.search(secretName);
  const code = text.search(/\bcode["']?\s*[:=]/i);
  const [first] = [place, code].filter((each) => each !== -1).sort((one, other) => one - other);
  if (first === undefined) return cutTo(redactedText(text), bytesMax);
  const name = /^[\w-]*/.exec(text.slice(first))?.[0] ?? '';
  // The name that was found may be a part of one of our keys.
  return cutTo(`${redactedText(text.slice(0, first))}${withoutShapes(name).slice(0, 40)} ${mask}`, bytesMax);
}

/** For "page=1&api_key=…". */
export function redactedQuery(query: string, bytesMax: number): CutText {
  const parts = query.slice(0, 4 * bytesMax).split('&');
  // Drop the last part, which may be cut: half a secret has no recognizable shape.
  if (query.length > 4 * bytesMax && parts.length > 1) parts.pop();
  const kept = parts.map((part) => {
    const [name = '', ...rest] = part.split('=');
    // A name may contain an escaped "=".
    const shownName = redactedText(`&${decoded(name)}`).slice(1);
    if (rest.length === 0) return shownName;
    const value = decoded(rest.join('='));
    if (idempotencyName.test(shownName)) return `${shownName}=${redactedIdempotencyKey(value)}`;
    if (isSecret(shownName, value, '')) return `${shownName}=${mask}`;
    if (/^code$/i.test(shownName)) return `${shownName}=${value}`;
    return redactedText(`&${shownName}=${value}`).slice(1);
  });
  return cutTo(kept.join('&'), bytesMax);
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced).replace(/\p{Cc}/gu, '\uFFFD');
  } catch {
    return spaced.replaceAll('%', '');
  }
}

const lookedAtFactor = 4;
const edge = 600;

/** Looks only at the beginning, because an answer for 500 orders is long. Names in our own JSON have no escapes. */
export function redactedAnswer(answer: string, bytesMax: number): CutText {
  if (answer.length <= lookedAtFactor * bytesMax) {
    try {
      return redactedJson(JSON.parse(answer), bytesMax);
    } catch {
      return redactedRaw(answer, bytesMax);
    }
  }
  const beginning = answer.slice(0, lookedAtFactor * bytesMax);
  let holder = '';
  const text = beginning.replace(
    /"([^"\\]{1,100})":(?:("(?:[^"\\]|\\.)*(?:"|$))|(-?\d[\d.eE+-]*)|(?=[{[]))/g,
    (all, name: string, quoted: string | undefined, number: string | undefined) => {
      const value = quoted === undefined ? number : quoted.slice(1, quoted.endsWith('"') ? -1 : undefined);
      if (value === undefined) {
        holder = name;
        return all;
      }
      if (isSecret(name, value, holder)) return `"${name}":"${mask}"`;
      if (quoted === undefined) return all;
      const isKey = idempotencyName.test(name);
      return `"${name}":${isKey ? redactedIdempotencyKey(quoted) : redactedText(quoted)}`;
    },
  );
  return { ...cutTo(withoutShapes(text).slice(0, -edge), bytesMax), isCut: true };
}

function cutTo(text: string, bytesMax: number): CutText {
  if (Buffer.byteLength(text) <= bytesMax) return { text, isCut: false };
  const cut = Buffer.from(text).subarray(0, bytesMax).toString();
  return { text: cut.replace(/\uFFFD$/, ''), isCut: true };
}
