// Runs an action between a statement of a request and its next step. The service must be started with `wrapDatabase`.

import assert from 'node:assert/strict';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import type { Database } from '../../src/platform/database/database.ts';

interface Moment {
  readonly statement: string;
  readonly happens: () => Promise<unknown>;
}

export interface WorstMoments {
  readonly wrapDatabase: (database: Database) => Database;
  /** Runs the action once, after the named statement, whose name may end in "_apart" on several servers. */
  sent(statement: string, happens: Moment['happens'], request: () => Promise<Answer>): Promise<Answer>;
}

export function createWorstMoments(): WorstMoments {
  let moment: Moment | null = null;
  return {
    wrapDatabase: (database) => ({
      ...database,
      async query(statement, values, rank) {
        const rows = await database.query(statement, values, rank);
        if (moment !== null && [moment.statement, `${moment.statement}_apart`].includes(statement.name)) {
          const { happens } = moment;
          moment = null;
          await happens();
        }
        return rows;
      },
    }),
    async sent(statement, happens, request) {
      moment = { statement, happens };
      const answer = await request();
      assert.equal(moment, null, `${statement} was sent before ${answer.status} ${answer.text}`);
      return answer;
    },
  };
}
