// Which Markdown files are pages of /docs, and which reader's navigation lists them. A page's address is its path below
// docs/ without the ending; files elsewhere have theirs here. A document without a place is listed with the decisions.

import { existsSync, globSync, readFileSync } from 'node:fs';

export const root = new URL('../../', import.meta.url);

const index = 'docs/README.md';

/** Where a page's file is not at its address: from the root of the repository, to the name of the page. */
const elsewhere: Readonly<Record<string, string>> = {
  [index]: 'index.md',
  'sdk/README.md': 'typescript-client.md',
  'clients/php/README.md': 'php-client.md',
  'clients/python/README.md': 'python-client.md',
  'examples/README.md': 'examples.md',
  'integrations/README.md': 'integrations.md',
  'integrations/whmcs/README.md': 'integrations-whmcs.md',
  'integrations/blesta/README.md': 'integrations-blesta.md',
  'deploy/README.md': 'deploy.md',
  'CHANGELOG.md': 'changelog.md',
};

type Pages = readonly (readonly [title: string, source: string])[];

interface Reader {
  readonly name: string;
  /** The first page; its address names the reader in links of the panel. */
  readonly start: string;
  readonly groups: Readonly<Record<string, Pages>>;
}

const resellers: Reader = {
  name: 'Resellers',
  start: 'docs/resellers.md',
  groups: {
    'Start here': [
      ['For resellers', 'docs/resellers.md'],
      ['The first order', 'docs/getting-started.md'],
      ['Test mode', 'docs/test-mode.md'],
    ],
    Orders: [
      ['Idempotency and retries', 'docs/idempotency.md'],
      ['Renewals', 'docs/renewals.md'],
      ['Plans and refunds', 'docs/plans-and-refunds.md'],
      ['Orders in bulk', 'docs/bulk.md'],
      ['Errors', 'docs/errors.md'],
      ['Rate limits', 'docs/rate-limits.md'],
      ['Finding things', 'docs/finding-things.md'],
      ['Adding funds', 'docs/adding-funds.md'],
      ['Statements, receipts and tax', 'docs/statements-and-tax.md'],
    ],
    Events: [
      ['Webhooks', 'docs/webhooks.md'],
      ['The event feed', 'docs/events.md'],
    ],
    Access: [
      ['Signing in', 'docs/signing-in.md'],
      ['API keys', 'docs/keys.md'],
      ['Login links', 'docs/login-links.md'],
      ['Personal data and GDPR', 'docs/personal-data.md'],
      ['Leaving', 'docs/leaving.md'],
    ],
    'Clients and modules': [
      ['TypeScript client', 'sdk/README.md'],
      ['PHP client', 'clients/php/README.md'],
      ['Python client', 'clients/python/README.md'],
      ['Generated clients', 'docs/generated-clients.md'],
      ['Examples', 'examples/README.md'],
      ['Billing panels', 'integrations/README.md'],
      ['WHMCS', 'integrations/whmcs/README.md'],
      ['Blesta', 'integrations/blesta/README.md'],
      ['Downloads', 'docs/downloads.md'],
    ],
  },
};

const operators: Reader = {
  name: 'Operators',
  start: 'docs/operators.md',
  groups: {
    'Start here': [['For operators', 'docs/operators.md']],
    Install: [
      ['Install', 'docs/install.md'],
      ['Containers and systemd', 'deploy/README.md'],
      ['PostgreSQL', 'docs/postgresql.md'],
      ['Behind a proxy', 'docs/proxies.md'],
    ],
    'Go live': [
      ['Go live', 'docs/go-live.md'],
      ['Packages and limits', 'docs/limits.md'],
      ['Prices', 'docs/prices.md'],
      ['Payments', 'docs/payments.md'],
      ['Your brand', 'docs/brand.md'],
      ['Mail', 'docs/mail.md'],
      ['Handing orders to your product', 'docs/hand-off.md'],
      ['A small product', 'docs/small-product.md'],
    ],
    Run: [
      ['Run the service', 'docs/operations.md'],
      ['Business figures', 'docs/business.md'],
      ['Command line', 'docs/command-line.md'],
      ['Backups and nightly checks', 'docs/nightly.md'],
      ['Monitoring', 'docs/monitoring.md'],
      ['Security model', 'docs/security.md'],
      ['Compatibility', 'docs/compatibility.md'],
      ['Changelog', 'CHANGELOG.md'],
    ],
    Grow: [
      ['Grow', 'docs/growing.md'],
      ['Performance', 'docs/performance.md'],
    ],
    Reference: [
      ['Configuration', 'docs/configuration.md'],
      ['Scopes and roles', 'docs/scopes.md'],
      ['Metrics and jobs', 'docs/metrics.md'],
      ['Log events', 'docs/log-events.md'],
      ['Connections and logs', 'docs/connections.md'],
      ['Upgrade notes', 'docs/upgrade-notes.md'],
    ],
  },
};

const contributors: Reader = {
  name: 'Contributors',
  start: 'docs/contributors.md',
  groups: {
    'Start here': [
      ['For contributors', 'docs/contributors.md'],
      ['Development', 'docs/development.md'],
      ['Architecture', 'docs/architecture.md'],
    ],
    Design: [
      ['The panel’s routes', 'docs/panel-api.md'],
      ['Rules for openapi.json', 'docs/openapi-rules.md'],
      ['Dependencies', 'docs/dependencies.md'],
    ],
    'How it is tested': [
      ['Reliability', 'docs/reliability.md'],
      ['Seeded bugs', 'docs/seeded-bugs.md'],
      ['OWASP ASVS 5', 'docs/asvs.md'],
    ],
  },
};

export const readers: readonly Reader[] = [resellers, operators, contributors];

const referenceParts: Pages = [
  ['Conventions', 'docs/reference/conventions.md'],
  ['Reseller API', 'docs/reference/reseller-api.md'],
  ['Admin: accounts', 'docs/reference/admin-accounts.md'],
  ['Admin: packages', 'docs/reference/admin-packages.md'],
  ['Admin: records', 'docs/reference/admin-records.md'],
  ['Product API', 'docs/reference/product-api.md'],
  ['Objects', 'docs/reference/objects.md'],
];

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
const packedClient = `sellthrough-client-${version}.tgz`;

/**
 * What the site hands out at /docs/downloads, because no registry has it: a link to the file leads there. The packed clients
 * have no files of their own in the repository; their manifests stand for them.
 */
export const downloads: Readonly<Record<string, string>> = {
  'sdk/package.json': packedClient,
  'clients/php/composer.json': `sellthrough-php-${version}.zip`,
  'clients/python/pyproject.toml': `sellthrough-${version}-py3-none-any.whl`,
  'examples/small-product/small-product.ts': 'small-product.ts',
  'examples/small-product/small-product.php': 'small-product.php',
  // Packed, too: what the module says about itself stands for it.
  'integrations/whmcs/modules/servers/sellthrough/whmcs.json': 'sellthrough-whmcs-1.1.0.zip',
  'integrations/blesta/components/modules/sellthrough/config.json': 'sellthrough-blesta-1.1.0.zip',
};

const sourcesOf = ({ groups }: Reader) =>
  Object.values(groups).flatMap((pages) => pages.map(([, source]) => source));
const placed = new Set(readers.flatMap(sourcesOf));
const unplaced = pageSources.filter(
  (source) => source !== index && !source.startsWith('docs/reference/') && !placed.has(source),
);

/** Decisions, and documents without a place, are contributors'. */
export function pagesOf(reader: Reader): readonly string[] {
  return reader === contributors ? [...sourcesOf(reader), ...unplaced] : sourcesOf(reader);
}

const notSearched = new Set(pagesOf(contributors));

/** The search leaves out contributors' pages, so that resellers and operators find their guides first. */
export function isSearched(source: string): boolean {
  return !notSearched.has(source);
}

interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

interface SidebarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly SidebarItem[];
}

/** By the beginning of a page's path: each reader's pages have one, and so has each part of the reference. */
export function sidebars(): Readonly<Record<string, readonly SidebarGroup[]>> {
  const parts = itemsOf(referenceParts);
  const referenceBeside = (shown: string): readonly SidebarGroup[] => {
    const items = parts.map((part) =>
      part.link === shown ? { ...part, collapsed: false, items: listedOn(`docs${shown}.md`) } : part,
    );
    return [{ text: 'API reference', items }];
  };
  const starts = readers.map(({ name, start }): [string, string] => [name, start]);
  return {
    ...Object.fromEntries(parts.map(({ link }) => [link, referenceBeside(link)])),
    ...Object.fromEntries(
      readers.flatMap((reader) => {
        const decisions: Pages = unplaced.map((source) => [firstHeading(source), source]);
        const pages = { ...reader.groups, ...(reader === contributors && { Decisions: decisions }) };
        const groups = Object.entries(pages).map(([text, entries]) => ({
          text,
          ...(text === 'Decisions' && { collapsed: true }),
          items: itemsOf(entries),
        }));
        return pagesOf(reader).map((source) => [
          isDecision(source) ? '/decisions/' : `/${pagePath(source)}`,
          groups,
        ]);
      }),
    ),
    '/': [
      {
        text: 'Documentation',
        items: itemsOf([['Overview', index], ...starts, ['API reference', 'docs/reference/conventions.md']]),
      },
    ],
  };
}

/** Matches the addresses of a reader's pages, for the navigation bar. */
export function activeMatch(reader: Reader): string {
  const addresses = pagesOf(reader).map((source) =>
    isDecision(source) ? '/decisions/.*' : (pageAddress(source) ?? ''),
  );
  return `^(?:${[...new Set(addresses)].join('|')})$`;
}

function isDecision(source: string): boolean {
  return source.startsWith('docs/decisions/');
}

function itemsOf(entries: Pages): readonly SidebarItem[] {
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
