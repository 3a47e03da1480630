// VitePress's own theme, with the system's fonts, the panel's colors, the operator's name and a link to the panel; and one
// language for the samples of every page, remembered by the browser. Pages are complete without this script.

import { inBrowser, onContentUpdated, type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { rankSearch } from './search-ranking.ts';
import { siteBrand, titleWindows } from './site-brand.ts';
import './style.css';

const storageKey = 'docs-language';

// Not a page of the site: `target` keeps VitePress's router from looking for it there.
const toPanel = () => h('a', { class: 'to-panel', href: '/panel/', target: '_self' }, 'Panel');
const notFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'There is no such page'),
    h('p', ['It may have moved. The ', h('a', { href: withBase('/') }, 'overview'), ' leads to all pages.']),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-title-before': siteBrand,
      'nav-bar-content-after': toPanel,
      'nav-screen-content-after': toPanel,
      'not-found': notFound,
    }),
  enhanceApp({ siteData }) {
    titleWindows(siteData);
    rankSearch(siteData);
  },
  setup() {
    if (!inBrowser) return;
    onContentUpdated(() => choose(remembered()));
    document.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.closest('.vp-code-group') === null) return;
      const language = languageOf(target);
      const before = target.parentElement?.getBoundingClientRect().top ?? 0;
      choose(language);
      // Samples above may have grown or shrunk: the one that was clicked stays where it is.
      const after = target.parentElement?.getBoundingClientRect().top ?? 0;
      scrollBy({ top: after - before, behavior: 'instant' });
      try {
        localStorage.setItem(storageKey, language ?? '');
      } catch {
        // Storage may be forbidden: then it is not remembered.
      }
    });
  },
} satisfies Theme;

function choose(language: string | null | undefined): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>('.vp-code-group input')) {
    if (languageOf(radio) === language) radio.checked = true;
  }
}

function languageOf(radio: HTMLInputElement): string | null | undefined {
  return radio.labels?.[0]?.textContent;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
