const tag = document.querySelector<HTMLMetaElement>('meta[name="application-name"]');

export const ownName = 'Sellthrough';

export function serviceName(): string {
  return tag?.content || ownName;
}

/** Call after the name was changed on this page. null means the product's own name. */
export function keepServiceName(name: string | null): void {
  if (tag !== null) tag.content = name ?? ownName;
}

export function windowTitle(title: string): string {
  return `${title} · ${serviceName()}`;
}
