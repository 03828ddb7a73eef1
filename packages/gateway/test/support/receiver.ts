import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Event } from '@crypto-checkout/protocol/event';
import { loadConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/database/database.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { testAccount, type TestAccount } from './call.ts';
import { testContext, type TestContext } from './context.ts';
import { queueCallbacks } from '../../src/callback/queue.ts';

export interface ReceivedCallback {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A local receiver with configurable responses, and a gateway without HTTP that can reach it. */
export interface TestReceiver {
  context: TestContext;
  account: TestAccount;
  origin: string;
  /** Received callbacks in order of arrival. */
  received: ReceivedCallback[];
  /** Status code of the response. Default: 200; `null` never responds. */
  answer: (request: ReceivedCallback, response: ServerResponse) => number | null;
  /** Queues callbacks for a path in one transaction, and returns the ids of their resources. */
  queue(path: string, count?: number, event?: Event): Promise<string[]>;
  /** Closes all connections immediately. */
  hangUp(): void;
  close(): Promise<void>;
}

export async function testReceiver(overrides: Partial<Context> = {}): Promise<TestReceiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const callback = { path: request.url ?? '', headers: request.headers, body };
      receiver.received.push(callback);
      const status = receiver.answer(callback, response);
      if (status !== null && !response.writableEnded) response.writeHead(status).end('answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { outboundAllow: allow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.1/32:${port}` });
  const context = await testContext({
    outbound: createOutbound({ allow, allowHttp: true }),
    ...overrides,
  });
  const account = await testAccount(context);
  const receiver: TestReceiver = {
    context,
    account,
    origin: `http://127.0.0.1:${port}`,
    received: [],
    answer: () => 200,
    async queue(path, count = 1, event = 'invoice_pending') {
      const { account_id: accountId, profile_id: profileId } = account;
      const ids = Array.from({ length: count }, () => context.ids.uuid());
      await context.db
        .updateTable('profile')
        .set({ callback_url: `${receiver.origin}${path}` })
        .where('id', '=', profileId)
        .execute();
      const events = ids.map((id) => ({ accountId, profileId, id, event, shown: { id } }));
      await transact(context.db, (trx) => queueCallbacks(trx, context, events));
      return ids;
    },
    hangUp: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await context.close();
    },
  };
  return receiver;
}
