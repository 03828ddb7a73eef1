import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { call } from '../support/signed-call.ts';
import { Stack, freePort, until } from '../support/stack.ts';
import { cpuOf } from './cpu.ts';
import { type Line, median, range } from './line.ts';
import { bytesOnWire, load } from './load.ts';

const ROUNDS = 7;
const REQUESTS = 8000;

/**
 * CPU per request of the public status endpoint against a bare `node:http` handler that answers the
 * same bytes.
 */
export async function statusEndpoint(): Promise<Line[]> {
  const stack = await Stack.start(
    { NODE_ENV: 'production', RATE_LIMIT_RPS: '1000000', RATE_LIMIT_BURST: '1000000' },
    ['gateway', 'bff'],
  );
  const barePort = await freePort();
  const created = await call(stack, 'POST', '/v1/invoices/', {
    profile_id: stack.credentials.profile_id,
    amount: '5',
    currency: 'USD',
    kind: 'BTC',
  });
  const path = `/sdk/v1/invoices/status/?id=${String(created.body.result.id)}`;
  const { body } = await bytesOnWire(stack.publicPort, path, { 'Accept-Encoding': 'identity' });
  const bare = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('./bare-server.mjs', import.meta.url)),
      String(barePort),
      body.toString('utf8'),
    ],
    { stdio: 'ignore' },
  );
  try {
    await until('the bare server', async () => (await fetch(`http://127.0.0.1:${barePort}/`)).ok);
    const ours = stack.servers.get('bff')?.process.pid ?? 0;
    const theirs = bare.pid ?? 0;
    const measure = async (pid: number, port: number): Promise<number> => {
      const before = cpuOf(pid);
      await load(port, path, { total: REQUESTS });
      return Number(cpuOf(pid) - before) / REQUESTS / 1000;
    };
    await measure(ours, stack.publicPort);
    await measure(theirs, barePort);
    const ratios: number[] = [];
    const micros: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await measure(theirs, barePort);
      const second = await measure(ours, stack.publicPort);
      micros[0].push(first);
      micros[1].push(second);
      ratios.push(first / second);
    }
    const detail = `${median(micros[1]).toFixed(1)} µs against ${median(micros[0]).toFixed(1)} µs of CPU a request, ${ROUNDS} rounds, ${range(ratios)}`;
    return [
      {
        what: 'status endpoint, rate against bare node:http',
        value: median(ratios),
        unit: '×',
        atLeast: 0.65,
        detail,
      },
    ];
  } finally {
    bare.kill();
    await stack.stop();
  }
}
