// sellthrough people …: who can sign in for an account, and their roles.

import { Argument, Command, Option } from 'commander';
import type { Person } from '../../sdk/src/index.ts';
import { roles } from '../shared/scopes.ts';
import { whichAccount } from './account-list-commands.ts';
import { answer, CommandFailed, exitCodes } from './command-end.ts';
import { getAccount } from './find-account.ts';
import { type Column, textRecord, textTable } from './text-table.ts';
import { withService } from './with-service.ts';

interface Json {
  readonly json: boolean;
}

type Service = Parameters<Parameters<typeof withService>[0]>[0];

export function peopleCommand(): Command {
  return new Command('people')
    .description('who signs in for an account: list, invite, change, remove (an administrator’s key)')
    .addCommand(listCommand())
    .addCommand(inviteCommand())
    .addCommand(changeCommand())
    .addCommand(removeCommand());
}

const whichPerson = () => new Argument('<person>', 'username, or id from "sellthrough people list"');
const whichRole = () =>
  new Option('--role <role>', 'their role; the operator’s people have other roles than an account’s');

const columns: readonly Column<Person>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'USERNAME', value: ({ username }) => username },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'CODES', value: ({ totp_enabled }) => (totp_enabled ? 'on' : 'off') },
  { title: 'LAST SIGN-IN', value: ({ last_sign_in_at }) => last_sign_in_at ?? 'never' },
  { title: 'E-MAIL', value: ({ email }) => email ?? '' },
];

function listCommand(): Command {
  return new Command('list')
    .description('everyone who can sign in for an account or is invited')
    .addArgument(whichAccount())
    .option('--json', 'print them as JSON', false)
    .action((named: string, { json }: Json) =>
      withService(async (service) => {
        const { id } = await getAccount(service, named);
        const data = await service.admin.listPeople(id);
        answer(json, { data }, data.length === 0 ? 'There are no people.\n' : textTable(columns, data));
      }),
    );
}

function inviteCommand(): Command {
  interface Options extends Json {
    readonly role: Person['role'];
    readonly email?: string;
    readonly again?: true;
  }
  return new Command('invite')
    .description('invite someone; prints the link to choose a password with, once')
    .addArgument(whichAccount())
    .argument('<username>', 'the username to sign in with')
    .addOption(whichRole().choices(roles).default('viewer'))
    .option('--email <address>', 'where they are written to; the link goes there, too, if mail is set up')
    .addOption(new Option('--again', 'a new link for someone who was invited').conflicts('email'))
    .option('--json', 'print the answer as JSON', false)
    .action((named: string, username: string, { role, email, again, json }: Options) =>
      withService(async (service) => {
        const { id } = await getAccount(service, named);
        const invited = again
          ? await service.admin.renewInvitation(id, (await getPerson(service, id, username)).id)
          : await service.admin.invitePerson(id, { username, role, email });
        const { person, invitation } = invited;
        const text = textRecord([
          ...recordOf(person),
          ['link', invitation?.url ?? null],
          ['works until', invitation?.expires_at ?? null],
        ]);
        const next =
          invitation === null
            ? 'The link was already shown. Make another one with --again.'
            : 'Pass the link on: it is shown only now, and works once.';
        answer(json, invited, `${text}${next}\n`);
      }),
    );
}

function changeCommand(): Command {
  interface Options extends Json {
    readonly role?: Person['role'];
    readonly email?: string;
  }
  return new Command('change')
    .description('another role, or where someone is written to')
    .addArgument(whichAccount())
    .addArgument(whichPerson())
    .addOption(whichRole().choices(roles))
    .option('--email <address>', 'where they are written to; an empty one: nowhere')
    .option('--json', 'print the person as JSON', false)
    .action((named: string, whom: string, { role, email, json }: Options) =>
      withService(async (service) => {
        if (role === undefined && email === undefined) {
          throw new CommandFailed(
            'Nothing to change. See "sellthrough people change --help" for the options.',
            exitCodes.usage,
          );
        }
        const { id } = await getAccount(service, named);
        const { id: personId } = await getPerson(service, id, whom);
        const person = await service.admin.changePerson(id, personId, {
          ...(role !== undefined && { role }),
          ...(email !== undefined && { email }),
        });
        answer(json, { person }, textRecord(recordOf(person)));
      }),
    );
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove someone; all their sessions end at once')
    .addArgument(whichAccount())
    .addArgument(whichPerson())
    .option('--json', 'print what was done as JSON', false)
    .action((named: string, whom: string, { json }: Json) =>
      withService(async (service) => {
        const { id } = await getAccount(service, named);
        const person = await getPerson(service, id, whom);
        const done = await service.admin.removePerson(id, person.id);
        answer(json, { ...done, username: person.username }, `${person.username} is removed.\n`);
      }),
    );
}

function recordOf({ id, username, role, status, email }: Person): Parameters<typeof textRecord>[0] {
  return [
    ['id', id],
    ['username', username],
    ['role', role],
    ['status', status],
    ['email', email ?? null],
  ];
}

async function getPerson({ admin }: Service, accountId: number, whom: string): Promise<Person> {
  const people = await admin.listPeople(accountId);
  const found =
    people.find(({ username }) => username === whom) ?? people.find(({ id }) => String(id) === whom);
  if (found === undefined)
    throw new CommandFailed(
      `There is no person "${whom}" in this account (person_not_found).`,
      exitCodes.refused,
    );
  return found;
}
