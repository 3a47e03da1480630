import { isMailAddress } from '../../shared/mail-addresses.ts';
import { oneLine } from './mail-content.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: required. `where_offered`: for a local relay; certificates are not checked. */
  readonly security: 'tls' | 'starttls' | 'where_offered';
  readonly login: { readonly user: string; readonly password: string } | null;
}

export interface MailSenderName {
  readonly name: string | null;
  readonly address: string;
}

const submissionPort = 587;
const tlsPort = 465;

/** "smtp://user:password@host:587", "smtps://…"; null: invalid. */
export function readSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return null;
  if (!['', '/'].includes(url.pathname) || url.hash !== '') return null;
  const { tls, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !['required', 'optional', undefined].includes(tls)) return null;
  const login = readLogin(url);
  if (login === undefined) return null;
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isOptional = tls === undefined ? isOnThisMachine(host) : tls === 'optional';
  return {
    host,
    port: url.port === '' ? (isTls ? tlsPort : submissionPort) : Number(url.port),
    security: isTls ? 'tls' : isOptional ? 'where_offered' : 'starttls',
    login,
  };
}

/** @returns null if there is no login; undefined if it is invalid, or one of the two is missing */
function readLogin({ username, password }: URL): SmtpServer['login'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

function isOnThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** "billing@example.com", "Example Ltd <billing@example.com>"; null: invalid. */
export function readMailFrom(text: string): MailSenderName | null {
  const [, quoted, bare] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(text) ?? [];
  const address = (bare ?? text).trim();
  if (!isMailAddress(address)) return null;
  const name = quoted?.replace(/^"(.*)"$/s, '$1') ?? '';
  if (name !== oneLine(name) || /[<>"]/.test(name)) return null;
  return { name: name === '' ? null : name, address };
}
