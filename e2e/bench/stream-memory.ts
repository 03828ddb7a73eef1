import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Stack } from '../support/stack.ts';
import { memoryOf } from './cpu.ts';
import type { Line } from './line.ts';

const FEW = 2000;
const MANY = 10_000;

/**
 * Memory of the BFF for each buyer on an event stream: the difference between 2,000 and 10,000 open
 * streams.
 */
export async function memoryPerBuyer(): Promise<Line[]> {
  const stack = await Stack.start(
    {
      NODE_ENV: 'production',
      RATE_LIMIT_RPS: '1000000',
      RATE_LIMIT_BURST: '1000000',
      NODE_OPTIONS: `--expose-gc --import ${new URL('./collect-on-signal.mjs', import.meta.url).href}`,
    },
    ['gateway', 'bff'],
  );
  const holder = fork(fileURLToPath(new URL('./stream-holder.mjs', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const { id } = await stack.asShop('/checkouts', {
      order: { order_id: 'memory', amount: '18.50', currency: 'USD' },
    });
    const pid = stack.servers.get('bff')?.process.pid ?? 0;
    const hold = (count: number): Promise<void> =>
      new Promise((resolve, reject) => {
        holder.once('message', (message: { held?: number; error?: string }) =>
          message.held === count
            ? resolve()
            : reject(new Error(message.error ?? 'streams were lost')),
        );
        holder.send({ port: stack.publicPort, path: `/checkouts/${id}/events`, count });
      });
    const settle = async (): Promise<number> => {
      let least = Number.POSITIVE_INFINITY;
      for (let look = 0; look < 4; look += 1) {
        process.kill(pid, 'SIGUSR2');
        await new Promise((done) => setTimeout(done, 500));
        least = Math.min(least, memoryOf(pid));
      }
      return least;
    };
    await hold(FEW);
    const few = await settle();
    await hold(MANY);
    const many = await settle();
    const each = (many - few) / (MANY - FEW) / 1024;
    return [
      {
        what: 'memory per waiting buyer, 2,000 to 10,000 event streams',
        value: each,
        unit: 'KiB',
        digits: 1,
        atMost: 13,
        detail: `${(few / 2 ** 20).toFixed(0)} MiB to ${(many / 2 ** 20).toFixed(0)} MiB resident`,
      },
    ];
  } finally {
    holder.kill();
    await stack.stop();
  }
}
