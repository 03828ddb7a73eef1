import { bytesOfBuyer } from './buyer-bytes.ts';
import { callbacks } from './callbacks.ts';
import { bytesOfElement } from './element-bytes.ts';
import { bitcoinScan, deposits, evmScan, lists, signedRequest, twoProcesses } from './gateway.ts';
import { invoiceCreation } from './invoice-creation.ts';
import { lightningOnScreen } from './lightning-on-screen.ts';
import { bytesOfPage } from './page-bytes.ts';
import type { Line } from './line.ts';
import { qrEncoder } from './qr-encoder.ts';
import { qrOnScreen } from './qr-on-screen.ts';
import { memoryPerBuyer } from './stream-memory.ts';
import { statusEndpoint } from './status-endpoint.ts';

const BENCHES: Record<string, () => Promise<Line[]>> = {
  page: bytesOfPage,
  buyer: bytesOfBuyer,
  element: bytesOfElement,
  encoder: qrEncoder,
  screen: qrOnScreen,
  status: statusEndpoint,
  signed: signedRequest,
  invoice: invoiceCreation,
  deposits,
  evm: evmScan,
  bitcoin: bitcoinScan,
  lightning: lightningOnScreen,
  lists,
  callbacks,
  processes: twoProcesses,
  memory: memoryPerBuyer,
};

const wanted = process.argv.slice(2);
if (wanted.includes('--help') || wanted.some((name) => !(name in BENCHES))) {
  console.log(
    `Usage: npm run bench [-- ${Object.keys(BENCHES).join(' ')}]\nWithout names every line is measured. Ends with 1 when a budget is exceeded, with 2 when a bench failed.`,
  );
  process.exit(wanted.includes('--help') ? 0 : 1);
}

let over = 0;
let failed = 0;

/** The lines of one bench; after one that throws, the next ones still run. */
async function measured(name: string, bench: () => Promise<Line[]>): Promise<Line[]> {
  try {
    return await bench();
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}`);
    console.error(error);
    return [];
  }
}

for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  for (const line of await measured(name, bench)) {
    const kept =
      line.atMost === undefined ? line.value >= (line.atLeast ?? 0) : line.value <= line.atMost;
    if (!kept) over += 1;
    const budget =
      line.atMost !== undefined
        ? `at most ${line.atMost}`
        : line.atLeast !== undefined
          ? `at least ${line.atLeast}`
          : 'no budget';
    console.log(
      `${kept ? 'ok  ' : 'OVER'} ${line.what.padEnd(58)} ${line.value.toFixed(line.digits ?? 2).padStart(9)} ${line.unit.padEnd(6)} (${budget})  ${line.detail}`,
    );
  }
}
process.exit(failed ? 2 : over ? 1 : 0);
