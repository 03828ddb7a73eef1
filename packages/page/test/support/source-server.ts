import {
  type IncomingMessage,
  type ServerResponse,
  createServer as createHttpServer,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { createServer } from 'vite';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A server whose pages run the script's sources, without a build, and a browser for it. */
export interface SourceServer {
  origin: string;
  browser: Browser;
  close(): Promise<void>;
}

/**
 * @param cache name of Vite's cache: files that run at the same time need one each
 * @param answer answers a request, or returns false: then it is for a source
 */
export async function startSourceServer(
  cache: string,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<SourceServer> {
  const vite = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    cacheDir: `${root}node_modules/.vite-${cache}`,
    resolve: { conditions: ['source', 'module', 'browser', 'development'] },
    optimizeDeps: { noDiscovery: true, include: ['qrcode/lib/core/qrcode.js'] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  const server = createHttpServer((request, response) => {
    if (answer(request, response) === false) vite.middlewares(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    browser,
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
      await vite.close();
    },
  };
}

/** Sends the script of the hosted page: a module that imports its source. */
export const sendScript = (response: ServerResponse): unknown =>
  response
    .writeHead(200, { 'content-type': 'text/javascript' })
    .end("import '/packages/page/src/client.ts';");
