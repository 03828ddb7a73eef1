import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

/** A server on loopback that keeps its port when it restarts. */
export interface HttpsServer {
  url: string;
  /** The certificate in use, in PEM. */
  certificate(): string;
  /** Ends every connection, as when the node restarts; with another certificate if one is given. */
  restart(certificate?: Certificate): Promise<void>;
  stop(): Promise<void>;
}

export async function startHttpsServer(
  first: Certificate,
  receive: RequestListener,
): Promise<HttpsServer> {
  let certificate = first;
  let port = 0;
  let server: Server;
  async function listen(): Promise<void> {
    server = createServer({ key: certificate.key, cert: certificate.certificate }, receive);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }
  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  await listen();
  return {
    url: `https://127.0.0.1:${port}`,
    certificate: () => certificate.certificate,
    async restart(next) {
      await stop();
      certificate = next ?? certificate;
      await listen();
    },
    stop,
  };
}
