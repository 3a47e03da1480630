// sellthrough new-incarnation: for a database that lost its last transactions without a restore, such as after failover to
// an asynchronous standby. The service must be stopped.

import { Command } from 'commander';
import { beginIncarnation } from '../features/backup/begin-incarnation.ts';
import { lockSchema } from '../platform/database/schema-lock.ts';
import { answer, endWell } from './command-end.ts';
import { confirm } from './confirm.ts';
import { refuseServices } from './refuse-services.ts';
import { useDatabase } from './with-database.ts';

export function newIncarnationCommand(): Command {
  return new Command('new-incarnation')
    .description('after a failover that lost transactions: make sure that no id is issued twice')
    .option('--yes', 'do not ask; needed where there is no terminal', false)
    .option('--json', 'print the incarnation as JSON', false)
    .addHelpText(
      'after',
      '\nStop the service first. Product calls, webhooks and events get ids that the lost transactions cannot have used, and\nreaders that have read lost events get events_gone. "sellthrough restore" does this by itself.',
    )
    .action(({ yes, json }: { yes: boolean; json: boolean }) =>
      endWell(() =>
        useDatabase('current', async ({ database }) => {
          const isShared = database.kind === 'postgres';
          if (isShared) await refuseServices(database);
          if (!yes) await confirm('Begin a new incarnation of this database?');
          const incarnation = await database.transaction(
            async (transaction) => {
              await lockSchema(transaction);
              if (isShared) await refuseServices(transaction);
              return beginIncarnation(transaction);
            },
            { timeoutMilliseconds: null },
          );
          answer(
            json,
            { incarnation },
            `The database is incarnation ${incarnation} now.\n${reconcileText('the transactions that were lost')}`,
          );
        }),
      ),
    );
}

/** `lost`: names what is missing, such as "the transactions that were lost". */
export function reconcileText(lost: string): string {
  return `What to do next, because ${lost} may be known elsewhere (docs/operations.md, "After a restore"):
1. Start the service.
2. The product reads GET /api/product/v1/entitlements from the beginning and drops every customer that is not in it.
3. Resellers send the orders that are missing again, with the same idempotency keys, and forget ids of orders and
   customers from that time: those are given out again. Readers of events are answered events_gone where they missed something.
`;
}
