import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import {
  describeWithZmq,
  startZmqPublisher,
  type ZmqPublisher,
} from '../../test/support/zmq-publisher.ts';
import { subscribeZmq } from './zmq.ts';

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Counts messages; `reached` resolves with a number of them. */
function counter() {
  let count = 0;
  let check = (): void => {};
  return {
    get count() {
      return count;
    },
    onMessage(): void {
      count += 1;
      check();
    },
    reached: (wanted: number): Promise<void> =>
      new Promise((resolve) => {
        check = () => {
          if (count >= wanted) resolve();
        };
        check();
      }),
  };
}

async function publisher(port?: number): Promise<ZmqPublisher> {
  const started = await startZmqPublisher(port);
  ends.push(() => started.stop());
  return started;
}

describeWithZmq("a subscription to ZeroMQ's own publisher", () => {
  it('hears the messages of its topics, whatever their size', async () => {
    const { url, publish, subscribed } = await publisher();
    const heard = counter();
    const { onMessage } = heard;
    ends.push(subscribeZmq({ url, topics: ['hashtx', 'rawblock'], onMessage }));
    await subscribed('rawblock');
    publish('sequence');
    publish('hashtx');
    publish('rawblock', 4_000_000);
    publish('hashtx', 0);
    await heard.reached(3);
    publish('hashblock');
    publish('rawblock', 300);
    await heard.reached(4);
    expect(heard.count).toBe(4);
  });

  it('connects again after the publisher was away', async () => {
    const port = await freePort();
    const { reached, onMessage } = counter();
    const pauses: number[] = [];
    const startTimer = (ms: number, work: () => void): (() => void) => {
      pauses.push(ms);
      const timer = setTimeout(work, 20);
      return () => clearTimeout(timer);
    };
    const url = `tcp://127.0.0.1:${port}`;
    ends.push(subscribeZmq({ url, topics: ['hashtx'], onMessage, startTimer }));
    await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(6), 10_000);
    expect(pauses.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const first = await startZmqPublisher(port);
    await first.subscribed('hashtx');
    first.publish('hashtx');
    await reached(1);
    await first.stop();
    const second = await publisher(port);
    await second.subscribed('hashtx');
    second.publish('hashtx');
    await reached(2);
  });
});

/** Accepts connections and sends each of them these bytes. */
async function serverThatSends(bytes: Buffer): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const GREETING = Buffer.alloc(64);
GREETING.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);

it.each([
  ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['an old version', Buffer.concat([Buffer.of(0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1), GREETING])],
  ['a frame without an end', Buffer.concat([GREETING, Buffer.of(2), Buffer.alloc(8, 0xff)])],
])('ends a connection to %s, and tries again later', async (_, bytes) => {
  const { url, sockets } = await serverThatSends(bytes);
  const heard = counter();
  const pauses: number[] = [];
  const startTimer = (ms: number): (() => void) => {
    pauses.push(ms);
    return () => {};
  };
  ends.push(subscribeZmq({ url, topics: ['hashtx'], onMessage: heard.onMessage, startTimer }));
  await vi.waitFor(() => expect(pauses).toEqual([1_000]), 10_000);
  expect(sockets).toHaveLength(1);
  expect(heard.count).toBe(0);
});

it('reads frames that arrive in single bytes', async () => {
  const message = Buffer.concat([
    GREETING,
    Buffer.from('\x04\x05\x04PING', 'latin1'),
    Buffer.from('\x01\x06hashtx\x01\x03abc\x00\x04hash', 'latin1'),
  ]);
  const { url, sockets } = await serverThatSends(Buffer.alloc(0));
  const heard = counter();
  const { onMessage } = heard;
  ends.push(subscribeZmq({ url, topics: ['hash'], onMessage }));
  await vi.waitFor(() => expect(sockets).toHaveLength(1), 10_000);
  sockets[0]!.setNoDelay(true);
  for (const byte of message) {
    sockets[0]!.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await heard.reached(1);
  expect(heard.count).toBe(1);
});
