// Packs the billing panel modules: `node scripts/build-integrations.ts [folder]` writes sellthrough-whmcs-1.1.0.zip and
// sellthrough-blesta-1.1.0.zip into integrations/dist/ or the folder. build-docs.ts adds them to the downloads.
// Invariant: the same files give the same bytes. Each module contains the shared code in its folder lib/.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

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
  files.set(`${places[panel]}/README.md`, readFileSync(join(root, panel, 'README.md')));
  const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { name: `sellthrough-${panel}-${integrationsVersion()}.zip`, bytes: zip(sorted), files: sorted };
}

export function integrationsVersion(): string {
  const [, version] =
    /VERSION', '([\d.]+)'/.exec(readFileSync(join(root, 'shared', 'load.php'), 'utf8')) ?? [];
  if (version === undefined) throw new Error('integrations/shared/load.php names no version');
  return version;
}

/** A ZIP file without compression, because compressed bytes differ between zlib versions. */
function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  /** 1 January 1980, the earliest date that the format can hold. */
  const date = 0x0021;
  const utf8Names = 0x0800;
  const regularFile = 0o100644 << 16;
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path, 'utf8');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(10, 0);
    common.writeUInt16LE(utf8Names, 2);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(regularFile >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    // "Made by version 2.0 on Unix", so that unpackers apply the permissions above.
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, place, name);
    parts.push(head, content);
    offset += head.length + content.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(root, 'dist');
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of panels.map(packModule)) writeFileSync(join(folder, name), bytes);
}
