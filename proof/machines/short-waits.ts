// Loaded before the service (node --import): it waits half as long for a database that does not answer, so that less is waited
// for where the database is broken again and again. How the limits are to each other is as it is in the product.

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
