import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Line } from './line.ts';

/** Runs the gateway's own benchmarks: their last line is JSON. */
function figures(name: string): unknown {
  const script = fileURLToPath(new URL(`../../packages/gateway/bench/${name}.ts`, import.meta.url));
  const run = spawnSync(
    process.execPath,
    ['--expose-gc', '--conditions=source', '--import', 'tsx', script],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (run.status !== 0) throw new Error(`the bench ${name} failed`);
  return JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '');
}

export async function signedRequest(): Promise<Line[]> {
  type Name = 'micros' | 'middle' | 'bare' | 'signed' | 'withHeaders' | 'textbook';
  const { micros, middle, bare, signed, withHeaders, textbook } = figures(
    'signed-request',
  ) as Record<Name, number>;
  const compared = `${signed.toFixed(1)} against ${bare.toFixed(1)} µs in the quicker quarter of all rounds, ${middle.toFixed(1)} more in the middle`;
  const detail = `${compared}; ${withHeaders.toFixed(1)} with the answer's headers; HMAC and JSON without any other check ${textbook.toFixed(1)}`;
  return [
    {
      what: 'signed request from headers to handler, CPU beyond a bare Hono route',
      value: micros,
      unit: 'µs',
      digits: 1,
      atMost: 10,
      detail,
    },
  ];
}

export async function deposits(): Promise<Line[]> {
  type Name =
    | 'wall'
    | 'middle'
    | 'least'
    | 'most'
    | 'cpu'
    | 'nodeMicros'
    | 'databaseMicros'
    | 'life'
    | 'floor';
  const found = figures('deposits') as Record<Name, number>;
  const each = `${found.nodeMicros.toFixed(0)} µs here and ${found.databaseMicros.toFixed(0)} µs in the database for each`;
  return [
    {
      what: 'deposits applied in bulk, by the clock of an idle machine',
      value: found.wall,
      unit: '/s',
      digits: 0,
      atLeast: 5_000,
      detail: `in the quicker quarter of all looks, ${found.middle.toFixed(0)} in the middle, ${found.least.toFixed(0)} to ${found.most.toFixed(0)}`,
    },
    {
      what: 'the same by CPU time of both processes together',
      value: found.cpu,
      unit: '/s',
      digits: 0,
      detail: `${each}; seen and confirmed ${found.life.toFixed(0)}/s; SQL alone ${found.floor.toFixed(0)}/s`,
    },
  ];
}

export async function lists(): Promise<Line[]> {
  type List = { best: number; middle: number };
  const found = figures('lists') as {
    rows: number;
    first: number;
    invoices: List;
    transactions: List;
  };
  const rows = `${(found.rows / 1e6).toFixed(1)} million`;
  return [
    {
      what: `page 1 of ${rows} invoices`,
      value: found.invoices.middle,
      unit: 'ms',
      atMost: 10,
      detail: `best ${found.invoices.best.toFixed(2)}; before anything was counted ${found.first.toFixed(0)}`,
    },
    {
      what: `page 1 of ${rows} transactions`,
      value: found.transactions.middle,
      unit: 'ms',
      atMost: 10,
      detail: `best ${found.transactions.best.toFixed(2)}`,
    },
  ];
}

export async function twoProcesses(): Promise<Line[]> {
  type Name =
    | 'twice'
    | 'cutOff'
    | 'callbacks'
    | 'deposits'
    | 'payouts'
    | 'ratio'
    | 'least'
    | 'most'
    | 'both'
    | 'alone';
  const found = figures('two-processes') as Record<Name, number>;
  const work = `${found.deposits} deposits, ${found.payouts} payouts, ${found.callbacks} callbacks`;
  return [
    {
      what: 'done twice by two gateways, one of them killed',
      value: found.twice,
      unit: '',
      digits: 0,
      atMost: 0,
      detail: `${work}; ${found.cutOff} callbacks came again, whose answer was lost with the process`,
    },
    {
      what: 'CPU of a request beside another gateway against alone',
      value: found.ratio,
      unit: '×',
      atMost: 1.1,
      detail: `${found.both.toFixed(0)} against ${found.alone.toFixed(0)} µs, database included, ${found.least.toFixed(2)} to ${found.most.toFixed(2)}`,
    },
  ];
}

export async function bitcoinScan(): Promise<Line[]> {
  type Name = 'ratio' | 'least' | 'most' | 'ours' | 'bare' | 'sight' | 'slowest';
  const found = figures('bitcoin-scan') as Record<Name, number>;
  return [
    {
      what: 'a block of 4,000 with 50 of our payments, against getblock and SQL',
      value: found.ratio,
      unit: '×',
      atMost: 3,
      detail: `${found.ours.toFixed(0)} against ${found.bare.toFixed(0)} ms in the middle, ${found.least.toFixed(2)} to ${found.most.toFixed(2)}; 1,000,000 watched scripts, litecoind`,
    },
    {
      what: 'first sight of a payment after the mempool of the node has it',
      value: found.sight,
      unit: 'ms',
      digits: 0,
      atMost: 1_000,
      detail: `at most ${found.slowest.toFixed(0)} ms; a look each second`,
    },
  ];
}

export async function evmScan(): Promise<Line[]> {
  type Name =
    | 'ratio'
    | 'least'
    | 'most'
    | 'ours'
    | 'bare'
    | 'blocksPerSecond'
    | 'callsPerBlock'
    | 'callsPerBlockWithOpen'
    | 'callsPerIdleMinute';
  const found = figures('evm-scan') as Record<Name, number>;
  return [
    {
      what: 'an EVM block with 20 of our payments, against bare calls and SQL',
      value: found.ratio,
      unit: '×',
      atMost: 3,
      detail: `${found.ours.toFixed(1)} against ${found.bare.toFixed(1)} ms in the middle, ${found.least.toFixed(2)} to ${found.most.toFixed(2)}; 200 token transfers, 1,000,000 watched addresses`,
    },
    {
      what: 'catching up with 10,000 empty EVM blocks',
      value: found.blocksPerSecond,
      unit: '/s',
      digits: 0,
      atLeast: 300,
      detail: 'on anvil',
    },
    {
      what: 'more calls to the node for a block with 1,000 open addresses',
      value: found.callsPerBlockWithOpen - found.callsPerBlock,
      unit: '',
      digits: 0,
      atMost: 0,
      detail: `${found.callsPerBlock} for each block, ${found.callsPerIdleMinute.toFixed(0)} in an idle minute`,
    },
  ];
}
