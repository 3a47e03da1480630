import { Argument, Command } from 'commander';
import type { ApiKey, ChangeAccountKeyBody, KeyWithSecret } from '../../sdk/src/index.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { collected, listed, wholeFrom } from './listing.ts';
import { type Column, textRecord, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

interface Common {
  readonly json: boolean;
}

interface Settings {
  readonly scopes?: string[];
  readonly allScopes?: true;
  readonly allow?: string[];
  readonly allowAll?: true;
  readonly rateLimit?: number;
  readonly expires?: string;
}

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys of an account: list, create, change, rotate, revoke (an administrator’s key)')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(changeCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function command(name: string, description: string, json: string): Command {
  return new Command(name)
    .description(description)
    .argument('<account>', 'username or id')
    .option('--json', `print ${json} as JSON`, false);
}

const whichKey = () =>
  new Argument('<key>', 'id, from "sellthrough keys list <account>"').argParser(wholeFrom(1));

function withSettings(command: Command): Command {
  return command
    .option('--scopes <list>', 'its scopes: packages:read,orders:write', listed)
    .option('--allow <address>', 'address or CIDR range that may use it (repeatable)', collected)
    .option('--rate-limit <number>', 'requests per minute of this key alone', wholeFrom(1, 1_000_000))
    .option('--expires <time>', 'when it ends: 2028-01-01T00:00:00Z, or never');
}

function settingsOf({
  scopes,
  allScopes,
  allow,
  allowAll,
  rateLimit,
  expires,
}: Settings): ChangeAccountKeyBody {
  return {
    ...(scopes === undefined ? {} : { scopes: scopes as NonNullable<ChangeAccountKeyBody['scopes']> }),
    ...(allScopes ? { scopes: null } : {}),
    ...(allow === undefined ? {} : { allowed_ips: allow }),
    ...(allowAll ? { allowed_ips: [] } : {}),
    ...(rateLimit === undefined ? {} : { rate_limit_per_minute: rateLimit }),
    ...(expires === undefined ? {} : { expires_at: expires === 'never' ? null : expires }),
  };
}

function listCommand(): Command {
  return command('list', 'the keys of an account, and when each was last used', 'them').action(
    (account: string, { json }: Common) =>
      withService(async (client) => {
        const { id } = await getAccount(client, account);
        const data = await client.admin.listAccountKeys(id);
        answer(json, { data }, textTable(columns, data));
      }),
  );
}

const columns: readonly Column<ApiKey>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'NAME', value: ({ name }) => name, mayShrink: true },
  { title: 'KEY', value: ({ mode, last_four }) => `sk_${mode}_…${last_four}` },
  { title: 'STATE', value: stateOf },
  { title: 'SCOPES', value: scopesOf, mayShrink: true },
  { title: 'LAST USED', value: ({ last_used_at }) => last_used_at ?? '–' },
];

function stateOf({ status, ending }: ApiKey): string {
  return ending.length === 0 ? status : `${status}, earlier secret until ${ending[0]?.ends_at}`;
}

function scopesOf({ all_scopes, scopes }: ApiKey): string {
  return all_scopes ? 'all' : scopes.join(' ');
}

function recordOf(key: ApiKey): Parameters<typeof textRecord>[0] {
  return [
    ['key', key.id],
    ['name', key.name],
    ['mode', key.mode],
    ['state', stateOf(key)],
    ['scopes', scopesOf(key)],
    ['allowed from', key.allowed_ips.length === 0 ? 'everywhere the account is' : key.allowed_ips.join(' ')],
    [
      'rate limit',
      key.rate_limit_per_minute === null ? 'the account’s' : `${key.rate_limit_per_minute} a minute`,
    ],
    ['expires', key.expires_at ?? 'never'],
  ];
}

function createCommand(): Command {
  return withSettings(command('create', 'create a key; it is printed once', 'it'))
    .argument('<name>', 'the program that will use it')
    .option('--test', 'a key for test mode, which cannot change real data')
    .action((account: string, name: string, options: Common & Settings & { test?: true }) =>
      withService(async (client) => {
        const { id } = await getAccount(client, account);
        const { scopes, ...settings } = settingsOf(options);
        const body = {
          ...settings,
          ...(scopes ? { scopes } : {}),
          ...(options.test ? { test: true } : {}),
          name,
        };
        const made = await client.admin.createAccountKey(id, body);
        answer(options.json, made, `${shownOnce(made)}\nThe key is shown only now.\n`);
      }),
    );
}

function shownOnce({ key, api_key }: KeyWithSecret): string {
  return textRecord([...recordOf(key), ['API key', api_key]]);
}

function changeCommand(): Command {
  return withSettings(command('change', 'settings that are not given stay unchanged', 'it'))
    .addArgument(whichKey())
    .option('--name <text>', 'the program that will use it')
    .option('--all-scopes', 'all scopes of its account, including future ones')
    .option('--allow-all', 'from every address that its account allows')
    .action((account: string, keyId: number, options: Common & Settings & { name?: string }) =>
      withService(async (client) => {
        const { name } = options;
        const change = { ...settingsOf(options), ...(name === undefined ? {} : { name }) };
        if (Object.keys(change).length === 0) {
          throw new CommandFailed('Nothing to change. Use --name, --scopes, --allow …', exitCodes.usage);
        }
        const { id } = await getAccount(client, account);
        const key = await client.admin.changeAccountKey(id, keyId, change);
        answer(options.json, { key }, textRecord(recordOf(key)));
      }),
    );
}

function rotateCommand(): Command {
  return command(
    'rotate',
    'create a new secret for a key, printed once; the previous one works for a while',
    'it',
  )
    .addArgument(whichKey())
    .option('--overlap <hours>', 'hours that the previous one still works, 0 to 168', wholeFrom(0, 168), 0)
    .action((account: string, keyId: number, { overlap, json }: Common & { overlap: number }) =>
      withService(async (client) => {
        const { id } = await getAccount(client, account);
        const rotated = await client.admin.rotateAccountKey(id, keyId, { overlap_hours: overlap });
        const [before] = rotated.key.ending;
        const old =
          before === undefined
            ? 'The previous one has stopped working.'
            : `The previous one works until ${before.ends_at}.`;
        answer(json, rotated, `${rotated.api_key}\nKeep it: it is not shown again. ${old}\n`);
      }),
    );
}

function revokeCommand(): Command {
  return command('revoke', 'revoke a key at once', 'what was done')
    .addArgument(whichKey())
    .action((account: string, keyId: number, { json }: Common) =>
      withService(async (client) => {
        const { id } = await getAccount(client, account);
        const done = await client.admin.revokeAccountKey(id, keyId);
        answer(json, done, `Key ${keyId} is revoked.\n`);
      }),
    );
}
