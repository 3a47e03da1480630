// Chooses a document's language: requested, else the person's, the browser's, the operator's.

import type { FastifyRequest } from 'fastify';
import { acceptedLanguage, knownLanguage } from '../../platform/http/request-language.ts';
import { type Translator, translatorOf } from '../../platform/text/translator.ts';
import { fieldRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import { languages } from '../../shared/languages.ts';
import type { Person } from '../identity/people-table.ts';
import type { Brand } from './brand-store.ts';

export function documentTranslator(request: FastifyRequest, { language }: Brand): Translator | Refusal {
  const { query, headers } = request;
  const person: Pick<Person, 'language'> | undefined = request.person;
  const sent = isJsonObject(query) ? own(query, 'language') : undefined;
  if (sent !== undefined) {
    const asked = knownLanguage(sent);
    const reason = `must be ${languages.join(', ')}`;
    return asked === null ? fieldRefusal('invalid_filter', 'language', reason) : translatorOf(asked);
  }
  return translatorOf(person?.language ?? acceptedLanguage(headers['accept-language']) ?? language);
}
