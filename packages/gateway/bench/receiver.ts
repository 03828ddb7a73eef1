import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver that takes everything, in a process of its own: it notes when each callback came.
const came = new Map<string, number>();
const now = (): number => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  if (!came.has(id)) came.set(id, now());
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-length': '2' }).end('ok'));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (message: 'count' | 'times') => {
  process.send?.(message === 'count' ? { count: came.size } : { times: [...came] });
});
process.on('disconnect', () => process.exit(0));
