// What the service is called: the operator's name, which came with the page itself, so it is there before anything is asked.

const tag = document.querySelector<HTMLMetaElement>('meta[name="application-name"]');

export const ownName = 'Sellthrough';

export function serviceName(): string {
  return tag?.content || ownName;
}

/** When the operator has changed it on this very page; null: the product's own again. */
export function keepServiceName(name: string | null): void {
  if (tag !== null) tag.content = name ?? ownName;
}

/** "Orders · Sellthrough" */
export function windowTitle(title: string): string {
  return `${title} · ${serviceName()}`;
}
