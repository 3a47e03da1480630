// A backup of an embedded database beside the service that has it open: the command copies the files, the service
// says from when to when (file-copy.ts), and orders go on meanwhile. Both ends of their conversation over the control socket of the
// data folder (control-socket.ts). Called by main.ts and the backup command.
// Always true: the service's checkpoints rest for no longer than the conversation, and no longer than its limit.

import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';
import {
  type ControlConnection,
  ControlConnectionClosed,
  connectControlSocket,
} from '../../platform/database/embedded/control-socket.ts';
import { copyDatabaseFiles, finishCopy } from '../../platform/database/embedded/file-copy.ts';

export const copyWish = { wish: 'copy' } as const;

/** The copy cannot be made, or was cut off. The message is for people. */
export class CopyFailed extends Error {
  override readonly name = 'CopyFailed';
}

/** The service's end. */
export async function guardCopy(
  database: Database,
  connection: ControlConnection,
  { copySecondsMax }: { readonly copySecondsMax: number },
): Promise<void> {
  if (database.beginFileCopy === null) throw new CopyFailed('This database is not an embedded one.');
  const guard = await database.beginFileCopy();
  const over = new AbortController();
  const heard = async () => {
    const tooLong = pause(copySecondsMax * 1000, undefined, { signal: over.signal, ref: false }).then(() => {
      throw new CopyFailed('The copy took too long: the log cannot be kept for ever.');
    });
    await Promise.race([connection.receive(), tooLong]);
  };
  try {
    connection.send({ copy: 'begun' });
    await heard();
    connection.send({ label: await guard.end() });
    await heard();
    connection.send({ copy: 'over', held_milliseconds: Math.ceil(guard.heldMilliseconds()) });
  } finally {
    over.abort();
    await guard.release();
  }
}

/**
 * The command's end: `folder` is then a data folder of its own, as the service's was a moment ago. Returns for how long
 * orders had to wait; null: no service listens there. @throws CopyFailed
 */
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
      // Without this the log may have been cleared while it was copied.
      const over = await receive();
      return { heldMilliseconds: Number(over['held_milliseconds']) };
    });
  } catch (error) {
    if (!(error instanceof ControlConnectionClosed)) throw error;
    throw new CopyFailed('The service ended, or was restarted, while its files were copied: try again.', {
      cause: error,
    });
  }
}
