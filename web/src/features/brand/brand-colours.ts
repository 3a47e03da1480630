// The operator's colour: a stylesheet of the service's, behind those of the pages, so nothing is styled within a page. It
// comes with the page (src/service/panel-pages.ts).

const address = '/brand/brand.css';

/** When the colour has changed on this very page. */
export function showBrandColours(): void {
  const earlier = document.querySelector(`link[href^="${address}"]`);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${address}?at=${Date.now()}`;
  link.addEventListener('load', () => earlier?.remove());
  document.head.append(link);
}
