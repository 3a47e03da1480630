import { isIP } from 'node:net';

export interface ValkeyAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly username: string | null;
  readonly password: string | null;
  readonly database: number;
}

const defaultPort = 6_379;
const databaseMax = 1_000_000;

/** Reads redis://user:password@host:6379/0, or rediss:// for TLS. @returns null if invalid */
export function readValkeyUrl(text: string): ValkeyAddress | null {
  const url = URL.parse(text);
  const isTls = url?.protocol === 'rediss:' || url?.protocol === 'valkeys:';
  if (url === null || !(isTls || url.protocol === 'redis:' || url.protocol === 'valkey:')) return null;
  // Refuse unknown settings rather than ignore them.
  if (url.search !== '' || url.hash !== '') return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 && !/^[A-Za-z0-9._-]{1,253}$/.test(host)) return null;
  const database = /^(?:\/(\d{1,7})?)?$/.exec(url.pathname);
  if (database === null || Number(database[1] ?? 0) > databaseMax) return null;
  try {
    return {
      host,
      port: url.port === '' ? defaultPort : Number(url.port),
      isTls,
      username: decodeURIComponent(url.username) || null,
      password: decodeURIComponent(url.password) || null,
      database: Number(database[1] ?? 0),
    };
  } catch {
    return null;
  }
}

/** The address for logs, without user and password. */
export function valkeyName({ host, port, database }: ValkeyAddress): string {
  const plain = host.includes(':') ? `[${host}]` : host;
  return `${plain}:${port}${database === 0 ? '' : `/${database}`}`;
}
