// Which Markdown files are pages of /docs, and the order of their navigation. A page's address is its path below docs/
// without the ending; the few files that stand elsewhere have theirs here. A document that nobody gave a place to
// stands at the end, under its first heading: none is left out.

import { existsSync, globSync, readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url);

/** Where a page's file is not at its address: from the root of the repository, to the name of the page. */
const elsewhere: Readonly<Record<string, string>> = {
  'docs/README.md': 'index.md',
  'sdk/README.md': 'typescript-client.md',
  'examples/README.md': 'examples.md',
  'integrations/README.md': 'integrations.md',
  'integrations/whmcs/README.md': 'integrations-whmcs.md',
  'integrations/blesta/README.md': 'integrations-blesta.md',
  'deploy/README.md': 'deploy.md',
  'CHANGELOG.md': 'changelog.md',
};

const chosen: Readonly<Record<string, readonly (readonly [title: string, source: string])[]>> = {
  Start: [
    ['Overview', 'docs/README.md'],
    ['Getting started', 'docs/getting-started.md'],
  ],
  Guides: [
    ['Idempotency and retries', 'docs/idempotency.md'],
    ['Errors', 'docs/errors.md'],
    ['Orders in bulk', 'docs/bulk.md'],
    ['Rate limits', 'docs/rate-limits.md'],
    ['Plans and refunds', 'docs/plans-and-refunds.md'],
    ['Finding things', 'docs/finding-things.md'],
    ['Webhooks and events', 'docs/webhooks.md'],
    ['Following events', 'docs/events.md'],
    ['API keys', 'docs/keys.md'],
    ['Test mode', 'docs/test-mode.md'],
    ['Login links', 'docs/login-links.md'],
    ['TypeScript client', 'sdk/README.md'],
    ['Generated clients', 'docs/generated-clients.md'],
    ['Examples', 'examples/README.md'],
    ['Downloads', 'docs/downloads.md'],
    ['Billing panels', 'integrations/README.md'],
    ['WHMCS', 'integrations/whmcs/README.md'],
    ['Blesta', 'integrations/blesta/README.md'],
  ],
  'API reference': [
    ['Conventions', 'docs/reference/conventions.md'],
    ['Reseller API', 'docs/reference/reseller-api.md'],
    ['Admin: accounts', 'docs/reference/admin-accounts.md'],
    ['Admin: packages', 'docs/reference/admin-packages.md'],
    ['Admin: records', 'docs/reference/admin-records.md'],
    ['Product API', 'docs/reference/product-api.md'],
    ['Objects', 'docs/reference/objects.md'],
  ],
  Operating: [
    ['Operations', 'docs/operations.md'],
    ['Compatibility', 'docs/compatibility.md'],
    ['Command line', 'docs/command-line.md'],
    ['PostgreSQL', 'docs/postgresql.md'],
    ['Growing', 'docs/growing.md'],
    ['Containers and systemd', 'deploy/README.md'],
    ['Backups and checks each night', 'docs/nightly.md'],
    ['Behind a proxy', 'docs/proxies.md'],
    ['Your brand', 'docs/brand.md'],
    ['Mail', 'docs/mail.md'],
    ['Monitoring', 'docs/monitoring.md'],
    ['Handing orders to your product', 'docs/hand-off.md'],
    ['A small product', 'docs/small-product.md'],
    ['Security model', 'docs/security.md'],
    ['OWASP ASVS 5', 'docs/asvs.md'],
    ['Reliability', 'docs/reliability.md'],
    ['Performance', 'docs/performance.md'],
  ],
  'The project': [
    ['Changelog', 'CHANGELOG.md'],
    ['Architecture', 'docs/architecture.md'],
    ['Development', 'docs/development.md'],
    ['Seeded bugs', 'docs/seeded-bugs.md'],
    ['Rules for openapi.json', 'docs/openapi-rules.md'],
  ],
};

/** Every page's file, from the root of the repository. The image's build has no deploy/. */
export const pageSources: readonly string[] = [
  ...Object.keys(elsewhere).filter((source) => existsSync(new URL(source, root))),
  ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/README.md', '**/node_modules', 'docs/dist'] })
    .map((source) => source.replaceAll('\\', '/'))
    .sort(),
];

/** "reference/reseller-api.md": where VitePress puts the page of a file. */
export function pagePath(source: string): string {
  return elsewhere[source] ?? source.replace(/^docs\//, '');
}

/** "/reference/reseller-api", below /docs; null for a file that is not a page. */
export function pageAddress(source: string): string | null {
  return pageSources.includes(source) ? `/${pagePath(source).replace(/(?:^index)?\.md$/, '')}` : null;
}

const { version }: { version: string } = JSON.parse(readFileSync(new URL('sdk/package.json', root), 'utf8'));
export const packedClient = `sellthrough-client-${version}.tgz`;

/**
 * What the site hands out at /docs/downloads, because no registry has it: a link to the file leads there. The packed client
 * has no file of its own in the repository; its manifest stands for it.
 */
export const downloads: Readonly<Record<string, string>> = {
  'sdk/package.json': packedClient,
  'examples/sellthrough.py': 'sellthrough.py',
  'examples/small-product/small-product.ts': 'small-product.ts',
  'examples/small-product/small-product.php': 'small-product.php',
  // Packed, too: what the module says about itself stands for it.
  'integrations/whmcs/modules/servers/sellthrough/whmcs.json': 'sellthrough-whmcs-1.0.0.zip',
  'integrations/blesta/components/modules/sellthrough/config.json': 'sellthrough-blesta-1.0.0.zip',
};

interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

interface SidebarGroup {
  readonly text: string;
  readonly items: readonly SidebarItem[];
}

/** By the beginning of an address: a part of the reference lists its own operations. */
export function sidebars(): Readonly<Record<string, readonly SidebarGroup[]>> {
  const parts = itemsOf(chosen['API reference'] ?? []);
  const lists = new Map(parts.map(({ link }) => [link, listedOn(`docs${link}.md`)]));
  const referenceBeside = (shown?: string): readonly SidebarGroup[] => {
    const items = parts.map((part) =>
      part.link === shown ? { ...part, collapsed: false, items: lists.get(shown) ?? [] } : part,
    );
    return [{ text: 'API reference', items }];
  };
  const placed = new Set([
    ...Object.values(chosen).flatMap((entries) => entries.map(([, source]) => pageAddress(source))),
    ...[...lists.values()].flatMap((items) => items.map(({ link }) => link)),
  ]);
  const rest = pageSources
    .filter((source) => !placed.has(pageAddress(source)))
    .map((source): [string, string] => [firstHeading(source), source]);
  const groups = Object.entries({ ...chosen, Decisions: rest });
  return {
    ...Object.fromEntries(parts.map(({ link }) => [link, referenceBeside(link)])),
    '/': groups.map(([text, entries]) => ({ text, items: itemsOf(entries) })),
  };
}

function itemsOf(entries: readonly (readonly [title: string, source: string])[]): readonly SidebarItem[] {
  return entries.flatMap(([text, source]) => {
    const link = pageAddress(source);
    return link === null ? [] : [{ text, link }];
  });
}

/** The operations or objects that the page of a part of the reference lists. */
function listedOn(index: string): readonly SidebarItem[] {
  const text = readFileSync(new URL(index, root), 'utf8');
  return [...text.matchAll(/^- (?:<a id="[^"]+"><\/a>)?\[(.+?)\]\((.+?)\.md\)/gm)].map(
    ([, title = '', name]) => ({ text: title, link: `/reference/${name}` }),
  );
}

function firstHeading(source: string): string {
  return /^# (.+)$/m.exec(readFileSync(new URL(source, root), 'utf8'))?.[1]?.replaceAll('`', '') ?? source;
}
