// Chooses the language that the browser prefers among ours; null if it names none of them.

import { Negotiator } from '@fastify/accept-negotiator';
import { type Language, languages } from '../../shared/languages.ts';

const negotiator = new Negotiator({ supportedValues: [...languages] });
const headerLengthMax = 500;

/** `header`: for example "de-AT,de;q=0.9,en;q=0.8". Regions are ignored. */
export function acceptedLanguage(header: string | undefined): Language | null {
  const general = (header ?? '').slice(0, headerLengthMax).toLowerCase();
  if (general === '') return null;
  return knownLanguage(negotiator.negotiate(general.replace(/([a-z]{2,3})(?:-[a-z0-9]+)+/g, '$1')));
}

export function knownLanguage(word: unknown): Language | null {
  return languages.find((each) => each === word) ?? null;
}
