// Parses the hosts of DATABASE_URL: one, or several separated by commas, as in libpq.
// Invariant: error messages never contain the password.

export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

export interface HostList {
  readonly hosts: readonly DatabaseHost[];
  /** The URL with its first host only. All other parts apply to every host. */
  readonly connectionString: string;
}

const address = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)((?:\/[^?#]*)?(\?[^#]*)?(?:#.*)?)$/;
const entry = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s[\]:]+))(?::(\d{1,5}))?$/;
const defaultPort = 5432;
const writable = ['read-write', 'primary'];

/** @returns null for a single host: the URL is used as it is @throws Error whose message follows the variable's name */
export function readHostList(connectionString: string): HostList | null {
  const [, before = '', named = '', behind = '', query = ''] = address.exec(connectionString) ?? [];
  const wanted = new URLSearchParams(query).get('target_session_attrs');
  const isWritable = wanted !== null && writable.includes(wanted);
  const entries = named.split(',');
  if (entries.length === 1 && !(isWritable && named !== '')) {
    const protocol = URL.parse(connectionString)?.protocol;
    if (protocol === 'postgres:' || protocol === 'postgresql:') return null;
    throw new Error('must look like postgres://user:password@host:5432/database');
  }
  if (wanted !== null && !isWritable)
    throw new Error(
      `may have target_session_attrs ${writable.join(' or ')} with several hosts, not "${wanted}"`,
    );
  // An unescaped "/", "?" or "#" in the password ends the host list too early. What was parsed as a host is then part of the
  // password, so the message must not quote it.
  const isCutShort = behind.includes('@');
  const hosts = entries.map((text) => readHost(text, isCutShort));
  const [first = ''] = entries;
  const single = `${before}${first}${behind}`;
  if (URL.parse(single) === null) throw new Error(looksLike);
  return { hosts, connectionString: single };
}

const looksLike =
  'must look like postgres://user:password@host1:5432,host2:5432/database, with what is special in the password as %2F and the like';

function readHost(text: string, isCutShort: boolean): DatabaseHost {
  const [, bracketed, plain = '', port] = entry.exec(text) ?? [];
  const host = bracketed ?? decoded(plain);
  const number = port === undefined ? defaultPort : Number(port);
  if (host === '' || !(number >= 1 && number <= 65_535)) {
    if (isCutShort) throw new Error(looksLike);
    throw new Error(`must name each host as host:port, [IPv6]:port or host, not "${text}"`);
  }
  return { host, port: number };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function hostText({ host, port }: DatabaseHost): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
