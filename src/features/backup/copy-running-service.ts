// Both sides of a backup of a running embedded service, over the control socket. The command copies files (file-copy.ts)
// while orders continue.
// Invariant: checkpoints pause only during this conversation, and at most for its limit.

import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';
import {
  type ControlConnection,
  ControlConnectionClosed,
  connectControlSocket,
} from '../../platform/database/embedded/control-socket.ts';
import { copyDatabaseFiles, finishCopy } from '../../platform/database/embedded/file-copy.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export const copyWish = { wish: 'copy' } as const;
/** Sent when the file is complete. `at`: when the backup began, in seconds. */
export const noteBackupWish = { wish: 'note_backup' } as const;

export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
}

export async function guardCopy(
  database: Database,
  connection: ControlConnection,
  { copySecondsMax }: { readonly copySecondsMax: number },
): Promise<void> {
  if (database.beginFileCopy === null) throw new CopyFailed('Only an embedded database can be copied.');
  const guard = await database.beginFileCopy();
  const over = new AbortController();
  const interrupted = async () => {
    const tooLong = pause(copySecondsMax * 1000, undefined, { signal: over.signal, ref: false }).then(() => {
      throw new CopyFailed(
        'The copy took too long and was stopped. Try again on a faster disk, or stop the service first.',
      );
    });
    await Promise.race([connection.receive(), tooLong]);
  };
  try {
    connection.send({ copy: 'begun' });
    await interrupted();
    connection.send({ label: await guard.end() });
    await interrupted();
    connection.send({ copy: 'over', held_milliseconds: Math.ceil(guard.heldMilliseconds()) });
  } finally {
    over.abort();
    await guard.release();
  }
}

/** Notifies a running service that a backup is complete. A service of an older version ignores it. */
export async function noteBackupInService(dataDir: string, at: EpochSeconds): Promise<void> {
  await connectControlSocket(dataDir, { ...noteBackupWish, at }, (connection) => connection.receive());
}

/** Fills `folder` as a data folder. Returns how long orders waited, or null if no service runs. @throws CopyFailed */
export async function copyRunningService(
  dataDir: string,
  folder: string,
): Promise<{ heldMilliseconds: number } | null> {
  try {
    return await connectControlSocket(dataDir, copyWish, async (connection) => {
      const receive = async () => {
        const said = await connection.receive();
        if (typeof said['problem'] === 'string') throw new CopyFailed(said['problem']);
        return said;
      };
      await receive();
      await copyDatabaseFiles(dataDir, folder);
      connection.send({ copied: 'files' });
      const { label } = await receive();
      await finishCopy(dataDir, folder, String(label));
      connection.send({ copied: 'log' });
      // The service confirms that no WAL was lost during the copy.
      const over = await receive();
      return { heldMilliseconds: Number(over['held_milliseconds']) };
    });
  } catch (error) {
    if (!(error instanceof ControlConnectionClosed)) throw error;
    throw new CopyFailed('The service stopped or restarted while its files were copied. Try again.', {
      cause: error,
    });
  }
}
