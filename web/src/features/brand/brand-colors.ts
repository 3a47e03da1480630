// Applies the operator's accent color as a stylesheet, because the content security policy allows no inline styles.

const address = '/brand/brand.css';

export function showBrandColors(): void {
  const earlier = document.querySelector(`link[href^="${address}"]`);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${address}?at=${Date.now()}`;
  link.addEventListener('load', () => earlier?.remove());
  document.head.append(link);
}
