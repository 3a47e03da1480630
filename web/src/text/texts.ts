// Loads the Lingui catalogs: one always, the others for the sign-in, rarely opened pages and the console. `npm run texts` extracts the
// English texts.
// Invariant: a catalog is loaded before the pages that use it (main.tsx, entry.tsx, router.tsx).

import { i18n, type Messages } from '@lingui/core';
import { language } from './language.ts';
import { untilLoaded } from './until-loaded.ts';

type Area = 'panel' | 'entry' | 'seldom' | 'console';

interface Catalog {
  readonly messages: Messages;
}

const catalogs = import.meta.glob<Catalog>('../locales/*/*.po');
const english = import.meta.glob<Catalog>('../locales/de/*.po', { query: '?english' });
const loaded = new Map<Area, Promise<void>>();

/** @throws if the catalog cannot be fetched; a later call tries again. */
export function loadTexts(area: Area): Promise<void> {
  const before = loaded.get(area);
  if (before !== undefined) return before;
  const loading = load(area);
  loaded.set(area, loading);
  loading.catch(() => loaded.delete(area));
  return loading;
}

async function load(area: Area): Promise<void> {
  const fetchCatalog =
    language === 'en' ? english[`../locales/de/${area}.po`] : catalogs[`../locales/${language}/${area}.po`];
  if (fetchCatalog === undefined) throw new Error(`There is no catalog ${language}/${area}.`);
  const { messages } = await fetchCatalog();
  i18n.load(language, messages);
  if (i18n.locale !== language) i18n.activate(language);
}

export function withTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return untilLoaded(async () => {
    await loadTexts('seldom');
    return load();
  });
}

/** For what is also shown before the sign-in. */
export function withEntryTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return untilLoaded(async () => {
    await loadTexts('entry');
    return load();
  });
}

/** Like withTexts, for console pages, which also use the rarely used texts. */
export function withConsoleTexts<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return untilLoaded(async () => {
    await Promise.all([loadTexts('seldom'), loadTexts('console')]);
    return load();
  });
}
