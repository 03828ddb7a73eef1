import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { loadConfig } from '../src/config.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import { postOf } from '../src/outbound/post.ts';
import { median } from './measure.ts';

/**
 * Measures the CPU time of this process per POST of a callback's size, in microseconds: by
 * `outbound/post.ts`, by undici's `request` and by its `fetch`. Prints one line of JSON. The three
 * take turns, so that a change of the machine meets all of them.
 */
const ROUNDS = 7;
const POSTS = 3_000;
const AT_ONCE = 32;

const body = JSON.stringify({ text: 'x'.repeat(3_000) });
const headers = { 'content-type': 'application/json' };
const timeoutMs = 10_000;

const receiver = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
});
const port = await portOf(receiver);
const url = `http://127.0.0.1:${port}/callbacks`;
const { outboundAllow: allow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.1/32:${port}` });
const outbound = createOutbound({ allow });
const post = postOf(outbound);

const ways: Record<string, () => Promise<unknown>> = {
  post: () => post(url, { headers, body, timeoutMs, maxBytes: 1_024 }),
  request: byRequest,
  fetch: async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await outbound(url, { method: 'POST', headers, body, signal });
    return response.arrayBuffer();
  },
};

/** With the same limits as `outbound/post.ts`. */
async function byRequest(): Promise<Buffer> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      signal: controller.signal,
    });
    const chunks: Buffer[] = [];
    let read = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      read += chunk.length;
      if (read >= 1_024) break;
    }
    return Buffer.concat(chunks).subarray(0, 1_024);
  } finally {
    clearTimeout(timer);
  }
}

/** Microseconds of CPU time per call. */
async function cpuOf(send: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage();
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function portOf(child: ChildProcess): Promise<number> {
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return message.port;
}

try {
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (const send of Object.values(ways)) await cpuOf(send, POSTS);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, send] of Object.entries(ways)) found[name]!.push(await cpuOf(send, POSTS));
  const shown = Object.entries(found).map(([name, each]) => [name, Math.round(median(each))]);
  console.log(JSON.stringify(Object.fromEntries(shown)));
} finally {
  receiver.kill();
}
process.exit(0);
