import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver in its own process that accepts everything and stores the arrival time of each
// callback.
const arrivals = new Map<string, number>();
const now = (): number => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  if (!arrivals.has(id)) arrivals.set(id, now());
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-length': '2' }).end('ok'));
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);

process.on('message', (message: 'count' | 'times') => {
  process.send?.(message === 'count' ? { count: arrivals.size } : { times: [...arrivals] });
});
process.on('disconnect', () => process.exit(0));
