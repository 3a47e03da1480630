// Which Markdown files are pages of /docs, in the order of their navigation. A page's address is its path below
// docs/ without the ending; the title is its first heading. The link check and the build both read this list.

import { existsSync, globSync } from 'node:fs';

export interface PageEntry {
  /** From the root of the repository. */
  readonly source: string;
  /** Below /docs/; "" is the first page. */
  readonly slug: string;
  /** In the navigation, where the first heading is too long. */
  readonly short?: string;
}

export interface PageSection {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

const page = (name: string, short?: string): PageEntry => ({
  source: `docs/${name}.md`,
  slug: name,
  ...(short === undefined ? {} : { short }),
});

const chosen: readonly PageSection[] = [
  {
    title: 'Start',
    pages: [{ source: 'docs/README.md', slug: '', short: 'Overview' }, page('getting-started')],
  },
  {
    title: 'Guides',
    pages: [
      page('idempotency'),
      page('errors'),
      page('rate-limits'),
      page('plans-and-refunds'),
      page('login-links'),
      { source: 'sdk/README.md', slug: 'typescript-client', short: 'TypeScript client' },
      { source: 'examples/README.md', slug: 'examples', short: 'Examples' },
    ],
  },
  {
    title: 'API reference',
    pages: [
      page('reference/conventions', 'Conventions'),
      page('reference/reseller-api'),
      page('reference/admin-accounts', 'Admin: accounts'),
      page('reference/admin-packages', 'Admin: packages'),
      page('reference/admin-records', 'Admin: records'),
    ],
  },
  {
    title: 'Operating',
    pages: [
      page('operations'),
      page('command-line'),
      page('postgresql'),
      { source: 'deploy/README.md', slug: 'deploy', short: 'Containers and systemd' },
      page('proxies'),
      page('monitoring'),
      page('security'),
      page('reliability'),
      page('performance'),
    ],
  },
  {
    title: 'The project',
    pages: [
      { source: 'CHANGELOG.md', slug: 'changelog' },
      page('architecture'),
      page('seeded-bugs'),
      page('openapi-rules'),
    ],
  },
];

const root = new URL('../../', import.meta.url);
const chosenSources = new Set(chosen.flatMap((section) => section.pages.map(({ source }) => source)));

/** What nobody has chosen a place for stands at the end: no document is left out. */
const rest = globSync('docs/**/*.md', { cwd: root })
  .map((source) => source.replaceAll('\\', '/'))
  .sort()
  .filter((source) => !chosenSources.has(source) && !source.startsWith('docs/dist/'))
  .map((source) => page(source.slice('docs/'.length, -'.md'.length)));

export const sections: readonly PageSection[] = [
  ...chosen.map(({ title, pages: entries }) => ({
    title,
    pages: entries.filter(({ source }) => existsSync(new URL(source, root))),
  })),
  { title: 'Decisions', pages: rest },
];

export const pages: readonly PageEntry[] = sections.flatMap((section) => section.pages);
