import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const DRAIN_MS = 10_000;
/** Interval at which connections that became idle are closed. */
const SWEEP_MS = 100;

/** Stops a server without cutting its open requests. */
export class Drain {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #open = new Set<ServerResponse>();
  #isDraining = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Registers a request that may still be open when the server stops. */
  track(response: ServerResponse): void {
    if (this.#isDraining) announceClose(response);
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
  }

  /**
   * Refuses new connections, closes idle ones, and waits for open requests.
   * @param drainMs longest wait; then open requests are cut. Default 10 s
   */
  async stop(drainMs: number = DRAIN_MS): Promise<void> {
    this.#isDraining = true;
    for (const response of this.#open) announceClose(response);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const sweep = setInterval(() => {
      this.#server.closeIdleConnections();
      // Node does not count a connection without any byte as idle.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    const limit = setTimeout(() => this.#server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  }
}

/** The client must not send another request over a connection that is about to close. */
function announceClose(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  if (!response.headersSent) response.setHeader('connection', 'close');
}
