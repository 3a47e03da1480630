// The operator's colour: a stylesheet of the service's, behind those of the pages, so nothing is styled within a page.

const address = '/brand/brand.css';

/** Once at the start, and again when the colour has changed. */
export function showBrandColours(): void {
  const earlier = document.querySelector(`link[href^="${address}"]`);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = earlier === null ? address : `${address}?at=${Date.now()}`;
  link.addEventListener('load', () => earlier?.remove());
  document.head.append(link);
}
