// Provides Chromium for the browser tests and screenshots. On Linux it is the development dependency @sparticuz/chromium, which brings its
// libraries and a font and halves the cost of a page; elsewhere the system's, if new enough. TEST_CHROMIUM=system|package
// chooses.
// Invariant: the unpacked folder appears complete or not at all; nothing is downloaded.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

interface ChromiumForTests {
  readonly binary: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly description: string;
}

// Older versions lack light-dark(), which the pages' styles use.
const oldestMajor = 123;
const versionTimeoutMilliseconds = 30_000;

export async function chromiumForTests({ headed = false } = {}): Promise<ChromiumForTests> {
  const wanted = process.env['TEST_CHROMIUM'] ?? (headed ? 'system' : '');
  if (!['', 'system', 'package'].includes(wanted)) {
    throw new Error(`TEST_CHROMIUM must be "system" or "package", not "${wanted}".`);
  }
  const found = (wanted !== 'system' && (await ofPackage())) || (wanted !== 'package' && (await ofSystem()));
  if (found) return found;
  throw new Error(
    `The browser tests need Chromium ${oldestMajor} or newer: install Chromium or Chrome` +
      (wanted === 'system' ? ', or leave TEST_CHROMIUM out.' : ' (the npm package has it for Linux on x64).'),
  );
}

export async function launchChromium(headed: boolean): Promise<Browser> {
  const { binary, environment } = await chromiumForTests({ headed });
  return chromium.launch({
    executablePath: binary,
    headless: !headed,
    ...(headed && { slowMo: 150 }),
    env: { ...process.env, ...environment },
    // In containers /dev/shm is too small for Chromium, and servers have no GPU. Pages of tests close before optimized
    // code pays off.
    args: ['--disable-dev-shm-usage', '--disable-gpu', '--js-flags=--no-opt --no-maglev'],
  });
}

async function ofSystem(): Promise<ChromiumForTests | null> {
  for (const binary of systemBinaries().filter((path) => existsSync(path))) {
    const major = await majorOf(binary);
    if (major >= oldestMajor) {
      return { binary, environment: {}, description: `Chromium ${major} of the system (${binary})` };
    }
  }
  return null;
}

function systemBinaries(): readonly string[] {
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
}

/** Returns 0 if the program does not run: a library is missing, or it is a stub that says how to install the real one. */
async function majorOf(binary: string, environment: Readonly<Record<string, string>> = {}): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version'], {
      env: { ...process.env, ...environment },
      timeout: versionTimeoutMilliseconds,
    });
    return Number(/(\d+)\.\d+\.\d+/.exec(stdout)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function ofPackage(): Promise<ChromiumForTests | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const folder = await unpacked();
  const binary = join(folder, 'chromium');
  const environment = {
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  };
  const major = await majorOf(binary, environment);
  if (major === 0) return null; // the package's binary needs another libc
  return { binary, environment, description: `Chromium ${major} of the npm package` };
}

async function unpacked(): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const source = join(root, 'node_modules', '@sparticuz', 'chromium');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const cache = join(root, 'node_modules', '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'chromium-'));
  try {
    const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) =>
      join(source, 'bin', name),
    );
    const unpack = fileURLToPath(new URL('inflate-chromium.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [unpack, ...archives], {
      env: { ...process.env, TMPDIR: draft },
    });
    // Chromium's own font configuration only knows fixed folders.
    writeFileSync(
      join(draft, 'fonts.conf'),
      fontsConfiguration(join(folder, 'fonts'), join(folder, 'cached')),
    );
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function fontsConfiguration(fonts: string, cache: string): string {
  const text = (path: string) => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${text(fonts)}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${text(cache)}</cachedir>
</fontconfig>
`;
}
