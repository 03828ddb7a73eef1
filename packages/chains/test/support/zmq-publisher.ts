import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const PROGRAM = fileURLToPath(new URL('zmq-publisher.py', import.meta.url));

const isInstalled = existsSync('/usr/lib/python3/dist-packages/zmq');
if (!isInstalled)
  console.warn("SKIPPED: the tests of a node's messages, because python3-zmq is not installed.");

/** Runs the tests with ZeroMQ's own library; without it they are skipped, and counted as such. */
export const describeWithZmq = describe.skipIf(!isInstalled);

export interface ZmqPublisher {
  url: string;
  /** Sends a message with a body of this many bytes. Default: 32. */
  publish(topic: string, bytes?: number): void;
  /** Resolves when a subscriber asked for that topic. */
  subscribed(topic: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a publisher as a node has it, on ZeroMQ's own library. */
export async function startZmqPublisher(port = 0): Promise<ZmqPublisher> {
  const child = spawn('/usr/bin/python3', [PROGRAM, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const seen = new Set<string>();
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: child.stdout });
  const bound = await new Promise<string>((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => {
    seen.add(line);
    for (const check of waiting) check();
  });
  return {
    url: `tcp://127.0.0.1:${bound}`,
    publish: (topic, bytes = 32) => void child.stdin.write(`${topic} ${bytes}\n`),
    subscribed: (topic) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!seen.has(`subscribed ${topic}`)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
