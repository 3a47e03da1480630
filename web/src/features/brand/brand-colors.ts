// The operator's accent color: a stylesheet loaded after the pages' own, so there are no inline styles
// (src/service/panel-pages.ts).

const address = '/brand/brand.css';

export function showBrandColors(): void {
  const earlier = document.querySelector(`link[href^="${address}"]`);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${address}?at=${Date.now()}`;
  link.addEventListener('load', () => earlier?.remove());
  document.head.append(link);
}
