// The service's name, embedded in the page by the service.

const tag = document.querySelector<HTMLMetaElement>('meta[name="application-name"]');

export const ownName = 'Sellthrough';

export function serviceName(): string {
  return tag?.content || ownName;
}

/** After a change on this page; null: the product's own. */
export function keepServiceName(name: string | null): void {
  if (tag !== null) tag.content = name ?? ownName;
}

/** "Orders · Sellthrough" */
export function windowTitle(title: string): string {
  return `${title} · ${serviceName()}`;
}
