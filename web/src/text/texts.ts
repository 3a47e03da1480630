// The catalogues of the pages' sentences (Lingui), in every language: what is always there, what is opened now and then, the console.
// Sentences stand in the sources in English (`t`, `<Trans>`); `npm run texts` gathers them into web/src/locales. The English
// catalogues are read from the German ones (web/english-catalogues.ts).
// Always true: a catalogue is loaded before the pages that speak from it (main.tsx, router.tsx).

import { i18n, type Messages } from '@lingui/core';
import { language } from './language.ts';
import { untilLoaded } from './until-loaded.ts';

type Area = 'panel' | 'seldom' | 'console';

interface Catalogue {
  readonly messages: Messages;
}

const catalogues = import.meta.glob<Catalogue>('../locales/*/*.po');
const english = import.meta.glob<Catalogue>('../locales/de/*.po', { query: '?english' });
const loaded = new Map<Area, Promise<void>>();

/** @throws where the catalogue cannot be fetched; asked again, it is fetched again. */
export function loadTexts(area: Area): Promise<void> {
  const before = loaded.get(area);
  if (before !== undefined) return before;
  const loading = load(area);
  loaded.set(area, loading);
  loading.catch(() => loaded.delete(area));
  return loading;
}

async function load(area: Area): Promise<void> {
  const fetchCatalogue =
    language === 'en' ? english[`../locales/de/${area}.po`] : catalogues[`../locales/${language}/${area}.po`];
  if (fetchCatalogue === undefined) throw new Error(`There is no catalogue ${language}/${area}.`);
  const { messages } = await fetchCatalogue();
  i18n.load(language, messages);
  if (i18n.locale !== language) i18n.activate(language);
}

/** The page or dialog behind `load`, once its sentences are there. */
export function withTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return untilLoaded(async () => {
    await loadTexts('seldom');
    return load();
  });
}

/** The same of the console, whose pages also show what is seldom seen elsewhere. */
export function withConsoleTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return untilLoaded(async () => {
    await Promise.all([loadTexts('seldom'), loadTexts('console')]);
    return load();
  });
}
