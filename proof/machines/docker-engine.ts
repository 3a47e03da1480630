// Runs docker for the proof of the containers.
// Invariant: everything with a run's name is removed when the run ends, even if it is killed.

import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { runProgram } from '../../test/harness/run-program.ts';
import { whenThisEnds } from './service-process.ts';

export interface DockerRun {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function docker(args: readonly string[], { cwd = '.', environment = {} }: DockerRun = {}) {
  const { code, stdout, stderr } = await runProgram('docker', args, { cwd, environment });
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}: ${stderr.slice(-2_000)}`);
  return stdout.trim();
}

export async function shell(line: string, { cwd = '.', environment = {} }: DockerRun): Promise<string> {
  const { code, stdout, stderr } = await runProgram('sh', ['-c', line], { cwd, environment });
  if (code !== 0) throw new Error(`"${line}" ended with ${code}: ${stderr.slice(-2_000)}`);
  return stdout.trim();
}

export function whyNoDocker(): string | null {
  const engine = spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], { encoding: 'utf8' });
  if (engine.error !== undefined) return 'The program docker is not installed.';
  if (engine.status !== 0)
    return `No Docker engine answers: start one, or name it in DOCKER_HOST. (${lastLine(engine.stderr)})`;
  const compose = spawnSync('docker', ['compose', 'version', '--short'], { encoding: 'utf8' });
  const major = Number(/^v?(\d+)\./.exec(compose.stdout)?.[1] ?? 0);
  return major >= 2 ? null : 'Docker has no Compose 2: "docker compose version" must answer.';
}

export async function dockerVersions(): Promise<string> {
  const engine = await docker(['version', '--format', '{{.Server.Version}}']);
  const compose = await docker(['compose', 'version', '--short']);
  return `Docker ${engine}, Compose ${compose}`;
}

function lastLine(said: string): string {
  return said.trim().split('\n').at(-1) ?? '';
}

export interface BaseImages {
  withImages(file: string): Promise<string>;
  byTag(): string[];
}

export function findBaseImages(): BaseImages {
  const found = new Map<string, string>();
  const has = async (image: string) =>
    (await runProgram('docker', ['image', 'inspect', image], { cwd: '.' })).code === 0;

  async function find(image: string): Promise<string> {
    const [tag = image] = image.split('@');
    if (await has(image)) return image;
    const pull = await runProgram('docker', ['pull', '--quiet', image], { cwd: '.' });
    if (pull.code === 0) return image;
    if (await has(tag)) return tag;
    throw new Error(`The image ${image} is neither here nor can it be pulled: ${lastLine(pull.stderr)}`);
  }

  return {
    async withImages(file) {
      let replaced = file;
      for (const [image] of file.matchAll(/[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}/g)) {
        if (!found.has(image)) found.set(image, await find(image));
        replaced = replaced.replaceAll(image, found.get(image) ?? image);
      }
      return replaced;
    },
    byTag: () => [...found.values()].filter((image) => !image.includes('@')),
  };
}

const removal = [
  'named() { "$@" --filter "name=$run" --quiet; }',
  'named docker ps --all | xargs -r docker rm --force --volumes',
  'named docker network ls | xargs -r docker network rm',
  'named docker volume ls | xargs -r docker volume rm --force',
  // By name, because removing an image by its id would remove the tags of other runs as well.
  `docker image ls --format '{{.Repository}}:{{.Tag}}' "$run" | xargs -r docker image rm`,
].join('; ');

export interface RunName {
  readonly name: string;
  remove(): Promise<void>;
}

/** Everything whose name begins with the run's name belongs to it. */
export function nameRun(name: string): RunName {
  const disarm = whenThisEnds(`run=$1; ${removal}`, [name]);
  return {
    name,
    async remove() {
      const child = spawn('sh', ['-c', `run=$1; ${removal}`, 'sh', name], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const said = await text(child.stderr);
      disarm();
      const left: string[] = [];
      for (const kind of ['container', 'volume', 'network']) {
        const all = kind === 'container' ? ['--all'] : [];
        left.push(...(await docker([kind, 'ls', ...all, '--filter', `name=${name}`, '--quiet'])).split('\n'));
      }
      const leftovers = left.filter((id) => id !== '');
      if (leftovers.length > 0) throw new Error(`${leftovers.join(', ')} could not be removed: ${said}`);
    },
  };
}

export async function crash(container: string, image: string): Promise<void> {
  const pid = await docker(['inspect', '--format', '{{.State.Pid}}', container]);
  const kill = `process.kill(${Number(pid)}, 'SIGKILL')`;
  await docker([
    ...['run', '--rm', '--name', `${container}-crash`, '--pid', 'host', '--user', '0', '--network', 'none'],
    ...['--entrypoint', 'node', image, '--eval', kill],
  ]);
}

export async function restartsOf(container: string): Promise<number> {
  return Number(await docker(['inspect', '--format', '{{.RestartCount}}', container]));
}
