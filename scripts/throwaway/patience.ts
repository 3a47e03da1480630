// Limits of services in tests: longer than a busy machine takes. Tests of such a limit set their own.

import { defaultLimits, type Limits } from '../../src/setup/config.ts';

export const patientMilliseconds = 250_000;

export const patientLimits = {
  engine: { waitMilliseconds: patientMilliseconds },
  database: {
    connectMilliseconds: patientMilliseconds,
    answerMilliseconds: patientMilliseconds,
    readMilliseconds: patientMilliseconds,
    idleInTransactionMilliseconds: patientMilliseconds,
    listenAnswerMilliseconds: patientMilliseconds,
    readThrottle: { ...defaultLimits.database.readThrottle, waitMilliseconds: patientMilliseconds },
    queue: { ...defaultLimits.database.queue, waitMilliseconds: patientMilliseconds },
  },
} satisfies { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };
