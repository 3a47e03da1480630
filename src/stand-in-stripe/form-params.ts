// Stripe's parameters: form-encoded, nested by brackets (`line_items[0][price_data][currency]=eur`).

import { invalidRequest } from './stripe-refusal.ts';

type FormValue = string | FormTree;
/** Without a prototype, so that no name is special. Lists have the names 0, 1 … */
interface FormTree {
  [name: string]: FormValue;
}

const depthMax = 8;
const metadataKeysMax = 50;
const metadataKeyMax = 40;
const metadataValueMax = 500;

/** @param text a form-encoded body or the query of an address */
export function parseForm(text: string): FormParams {
  const root = newTree();
  for (const [name, value] of new URLSearchParams(text)) put(root, namesOf(name), value);
  return new FormParams(root, '');
}

function newTree(): FormTree {
  return Object.create(null);
}

/** `a[b][0]` as a, b, 0. */
function namesOf(name: string): readonly string[] {
  const [first = '', ...rest] = name.split('[');
  return [first, ...rest.map((part) => part.replace(/\]$/, ''))].slice(0, depthMax);
}

function put(tree: FormTree, names: readonly string[], value: string): void {
  const [first = '', ...rest] = names;
  // `types[]=a&types[]=b` numbers its values itself.
  const name = first === '' ? String(Object.keys(tree).length) : first;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const known = tree[name];
  const below = typeof known === 'object' ? known : newTree();
  tree[name] = below;
  put(below, rest, value);
}

export class FormParams {
  readonly #tree: FormTree;
  readonly #path: string;

  constructor(tree: FormTree, path: string) {
    this.#tree = tree;
    this.#path = path;
  }

  names(): readonly string[] {
    return Object.keys(this.#tree);
  }

  /** Whether the parameter is nested, such as `created[gte]`. */
  isNested(name: string): boolean {
    return typeof this.#tree[name] === 'object';
  }

  /** The full name, such as `price_data[currency]`. */
  pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}[${name}]`;
  }

  /** An empty value counts as absent, as Stripe treats a parameter that is unset. */
  text(name: string, lengthMax = 5_000): string | null {
    const value = this.#tree[name];
    if (value === undefined || value === '') return null;
    if (typeof value !== 'string') throw this.#invalid(name, 'Invalid string');
    if (value.length > lengthMax)
      throw this.#invalid(name, `Invalid string: at most ${lengthMax} characters`);
    return value;
  }

  requiredText(name: string, lengthMax?: number): string {
    return this.text(name, lengthMax) ?? this.#refuseMissing(name);
  }

  integer(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (/^-?\d{1,15}$/.test(text)) return Number(text);
    throw invalidRequest(`Invalid integer: ${text}`, {
      code: 'parameter_invalid_integer',
      param: this.pathOf(name),
    });
  }

  requiredInteger(name: string): number {
    return this.integer(name) ?? this.#refuseMissing(name);
  }

  flag(name: string): boolean {
    return this.oneOf(name, ['true', 'false']) === 'true';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = allowed.find((each) => each === text);
    if (found !== undefined) return found;
    throw this.#invalid(name, `Invalid ${this.pathOf(name)}: must be one of ${allowed.join(', ')}`);
  }

  object(name: string): FormParams | null {
    const value = this.#tree[name];
    if (value === undefined || value === '') return null;
    if (typeof value === 'string') throw this.#invalid(name, 'Invalid object');
    return new FormParams(value, this.pathOf(name));
  }

  requiredObject(name: string): FormParams {
    return this.object(name) ?? this.#refuseMissing(name);
  }

  objects(name: string): readonly FormParams[] {
    const list = this.object(name);
    return list === null ? [] : list.names().map((index) => list.requiredObject(index));
  }

  texts(name: string): readonly string[] {
    const list = this.object(name);
    return list === null ? [] : list.names().map((index) => list.requiredText(index));
  }

  /** `old` with the sent values; an empty value deletes its key, an empty `metadata` all of them. */
  metadata(old: Readonly<Record<string, string>> = {}): Record<string, string> {
    const sent = this.#tree['metadata'];
    if (sent === undefined) return { ...old };
    if (sent === '') return {};
    if (typeof sent === 'string') throw this.#invalid('metadata', 'Invalid object');
    const kept = new Map(Object.entries(old));
    for (const [key, value] of Object.entries(sent)) {
      const isFine =
        typeof value === 'string' && value.length <= metadataValueMax && key.length <= metadataKeyMax;
      if (!isFine)
        throw this.#invalid(`metadata[${key}]`, 'Metadata keys have at most 40 characters, values 500');
      if (value === '') kept.delete(key);
      else kept.set(key, value);
    }
    if (kept.size > metadataKeysMax) throw this.#invalid('metadata', 'Metadata has at most 50 keys');
    return Object.fromEntries(kept);
  }

  /** Stripe refuses parameters that it does not know, so the stand-in refuses those that it would ignore. */
  refuseOthers(known: readonly string[]): void {
    const unknown = this.names().find((name) => !known.includes(name));
    if (unknown === undefined) return;
    throw invalidRequest(`Received unknown parameter: ${this.pathOf(unknown)}`, {
      code: 'parameter_unknown',
      param: this.pathOf(unknown),
    });
  }

  #invalid(name: string, message: string): Error {
    return invalidRequest(message, { param: this.pathOf(name) });
  }

  #refuseMissing(name: string): never {
    throw invalidRequest(`Missing required param: ${this.pathOf(name)}.`, {
      code: 'parameter_missing',
      param: this.pathOf(name),
    });
  }
}
