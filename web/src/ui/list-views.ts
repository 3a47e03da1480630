// Views of lists: filters, order and columns under a name. Stored in this browser, for each person and list.

import { keep, readKept } from '../api/browser-storage.ts';

export interface Shown {
  /** Parameters of the list in the URL, without its place. */
  readonly search: { readonly [name: string]: string };
  readonly columns: { readonly [column: string]: boolean };
}

export interface ListView {
  readonly title: string;
  readonly search: Shown['search'];
}

export interface SavedView extends Shown {
  readonly name: string;
}

export const viewsMax = 20;

const storageName = (list: string, personId: number) => `sellthrough-views-${list}-${personId}`;

export function readViews(list: string, personId: number): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(readKept(storageName(list, personId)) ?? '[]');
    return Array.isArray(kept) ? kept.flatMap(viewOf) : [];
  } catch {
    return [];
  }
}

/** Returns false if the browser refuses storage. */
export function keepViews(list: string, personId: number, views: readonly SavedView[]): boolean {
  return keep(storageName(list, personId), views.length === 0 ? null : JSON.stringify(views));
}

function viewOf(kept: unknown): SavedView[] {
  if (typeof kept !== 'object' || kept === null) return [];
  const { name, search, columns } = { name: undefined, search: undefined, columns: undefined, ...kept };
  if (typeof name !== 'string') return [];
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const isFlag = (entry: [string, unknown]): entry is [string, boolean] => typeof entry[1] === 'boolean';
  return [
    {
      name,
      search: Object.fromEntries(entriesOf(search).filter(isText)),
      columns: Object.fromEntries(entriesOf(columns).filter(isFlag)),
    },
  ];
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
