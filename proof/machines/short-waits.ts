// Loaded before the service (node --import): halves the waits for an unresponsive database, to save time.

import { defaultLimits } from '../../src/setup/config.ts';

const { engine, database } = defaultLimits;
Object.assign(engine, { waitMilliseconds: engine.waitMilliseconds / 2 });
Object.assign(database, {
  connectMilliseconds: database.connectMilliseconds / 2,
  answerMilliseconds: database.answerMilliseconds / 2,
  readMilliseconds: database.readMilliseconds / 2,
  idleInTransactionMilliseconds: database.idleInTransactionMilliseconds / 2,
  listenAnswerMilliseconds: database.listenAnswerMilliseconds / 2,
});
