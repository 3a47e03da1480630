// The name and logo in the bar and in the window's title. Built pages have the product's; the service replaces them by the
// operator's in the HTML (src/service/docs-pages.ts), and the script takes them over from the page's head.

import { inBrowser, type SiteData } from 'vitepress';
import { h, type Ref } from 'vue';

const name = headContent('application-name') ?? 'Sellthrough';
const logo = headContent('site-logo') ?? '/docs/icon.svg';

export const siteBrand = () => [
  h('img', { class: 'site-logo', src: logo, alt: '' }),
  h('bdi', { class: 'site-name' }, name),
  h('span', { class: 'site-part' }, 'docs'),
];

export function titleWindows(site: Ref<SiteData>): void {
  site.value = { ...site.value, titleTemplate: `:title · ${name}` };
}

function headContent(of: string): string | undefined {
  return inBrowser ? document.querySelector<HTMLMetaElement>(`meta[name="${of}"]`)?.content : undefined;
}
