// Packs the billing panel modules: `node scripts/build-integrations.ts [folder]` writes sellthrough-whmcs-1.1.0.zip and
// sellthrough-blesta-1.1.0.zip into integrations/dist/ or the folder. build-docs.ts adds them to the downloads.
// Invariant: the same files give the same bytes. Each module contains the shared code and the PHP client in its folder lib/.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { phpClientFiles } from './build-clients.ts';
import { zipFile } from './zip-file.ts';

const root = fileURLToPath(new URL('../integrations/', import.meta.url));

export interface PackedModule {
  /** For example sellthrough-whmcs-1.1.0.zip. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly files: ReadonlyMap<string, Buffer>;
}

const places = { whmcs: 'modules/servers/sellthrough', blesta: 'components/modules/sellthrough' } as const;
export type Panel = keyof typeof places;
export const panels = Object.keys(places) as readonly Panel[];

export function packModule(panel: Panel): PackedModule {
  const files = new Map<string, Buffer>();
  const take = (from: string, to: string) => {
    for (const path of globSync('**/*.{php,tpl,pdt,json,svg}', { cwd: from })) {
      files.set(join(to, path).replaceAll('\\', '/'), readFileSync(join(from, path)));
    }
  };
  take(join(root, panel, places[panel]), places[panel]);
  take(join(root, 'shared'), `${places[panel]}/lib`);
  for (const [path, bytes] of phpClientFiles()) files.set(`${places[panel]}/lib/client/${path}`, bytes);
  files.set(`${places[panel]}/README.md`, readFileSync(join(root, panel, 'README.md')));
  const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { name: `sellthrough-${panel}-${integrationsVersion()}.zip`, bytes: zipFile(sorted), files: sorted };
}

export function integrationsVersion(): string {
  const [, version] =
    /VERSION', '([\d.]+)'/.exec(readFileSync(join(root, 'shared', 'load.php'), 'utf8')) ?? [];
  if (version === undefined) throw new Error('integrations/shared/load.php names no version');
  return version;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(root, 'dist');
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of panels.map(packModule)) writeFileSync(join(folder, name), bytes);
}
