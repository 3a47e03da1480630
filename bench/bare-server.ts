// node bench/bare-server.ts: the simplest server that node:http allows, as a process of its own. Comparison with it shows
// what a framework, a look-up and a real answer cost.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{}');
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`listens at http://127.0.0.1:${port}\n`);
});
