// A DNS server on loopback (RFC 1035) that knows the test's names. Names that start with "silent" get no answer.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';

export interface NameServer {
  readonly address: string;
  /** The queries that it received, such as "A hook.example". */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const types: ReadonlyMap<number, string> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);

export async function startNameServer(
  names: Readonly<Record<string, readonly string[]>>,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, 12);
    const type = types.get(question.readUInt16BE(end + 1)) ?? 'other';
    const name = nameIn(question.subarray(12, end));
    asked.push(`${type} ${name}`);
    if (name.startsWith('silent')) return;
    const known = names[name];
    const found = (known ?? []).filter((address) => (type === 'A' ? isIPv4(address) : isIPv6(address)));
    const head = Buffer.from(question.subarray(0, 12));
    // A recursive answer, with code 3 (NXDOMAIN) for unknown names.
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    const asIs = question.subarray(12, end + 5);
    socket.send(Buffer.concat([head, asIs, ...found.map(recordOf)]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function nameIn(labels: Buffer): string {
  const [length = 0] = labels;
  if (length === 0) return '';
  const rest = nameIn(labels.subarray(length + 1));
  return labels.subarray(1, length + 1).toString() + (rest === '' ? '' : `.${rest}`);
}

/** An answer that is valid for a minute. IPv6 addresses must be written in full. */
function recordOf(address: string): Buffer {
  const bytes = isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(
        address
          .split(':')
          .map((word) => word.padStart(4, '0'))
          .join(''),
        'hex',
      );
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
