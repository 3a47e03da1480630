// DATABASE_URL as it names its hosts: one, or several divided by commas, as libpq writes them. Called by config.ts, which
// refuses what is malformed, and by postgres.ts.
// Always true: what is said of a malformed address does not repeat its password.

export interface DatabaseHost {
  /** A name, an address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

export interface HostList {
  readonly hosts: readonly DatabaseHost[];
  /** The same address with the first host alone: user, password, database and settings are those of all. */
  readonly connectionString: string;
}

const address = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)((?:\/[^?#]*)?(\?[^#]*)?(?:#.*)?)$/;
const entry = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s[\]:]+))(?::(\d{1,5}))?$/;
const defaultPort = 5432;
/** What libpq calls a server that takes writes; without it a list of hosts means such a server as well. */
const writable = ['read-write', 'primary'];

/**
 * The hosts among which the one that takes writes has to be found; null: one host, which is used as it is.
 * @throws Error with what is wrong, to be put behind the name of the variable
 */
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
  // A password that has "/", "?" or "#" in it as they are ends the hosts too early: what stands before is of the password.
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
