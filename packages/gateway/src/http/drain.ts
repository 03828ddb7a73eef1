import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const DRAIN_MS = 10_000;
/** Connections become idle at any time while the last requests run. */
const SWEEP_MS = 100;

/**
 * Prepares a server to stop without cutting its open requests.
 * @returns the function that refuses new connections, closes idle ones and waits for open requests,
 * for at most 10 s
 */
export function drainable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  const open = new Set<ServerResponse>();
  let isDraining = false;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (_, response) => {
    // The client must not send another request over a connection that is about to close.
    if (isDraining) response.shouldKeepAlive = false;
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return async () => {
    isDraining = true;
    for (const response of open) response.shouldKeepAlive = false;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const closeIdle = (): void => {
      server.closeIdleConnections();
      // Node does not count a connection without any byte as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    closeIdle();
    const sweep = setInterval(closeIdle, SWEEP_MS);
    const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  };
}
