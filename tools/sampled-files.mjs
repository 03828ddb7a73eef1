/**
 * The slowest test files of the unit step, in two halves that take about as long: browsers, nodes
 * and whole processes. `npm test` runs one half a day, by SAMPLE_SEED; `npm run nightly` runs both.
 * Files that test the same rules on another source stand in different halves.
 */
const HALVES = [
  [
    'packages/bff/src/host/process.test.ts',
    'packages/bff/src/pages/injection.test.ts',
    'packages/chains/src/bitcoin/extension-blocks.test.ts',
    'packages/gateway/src/engine/bitcoin-contract.test.ts',
    'packages/gateway/src/engine/lightning-electrum.test.ts',
    'packages/gateway/src/signer/bitcoin-signer.test.ts',
    'packages/page/src/embed.test.ts',
    'packages/page/src/first-paint.test.ts',
    'packages/page/src/guest.test.ts',
    'packages/page/src/headers.test.ts',
    'packages/page/src/takeover.test.ts',
  ],
  [
    'packages/gateway/src/engine/bitcoin-payouts.test.ts',
    'packages/gateway/src/engine/contract.test.ts',
    'packages/gateway/src/engine/esplora-contract.test.ts',
    'packages/gateway/src/engine/lightning.test.ts',
    'packages/gateway/src/main.test.ts',
    'packages/page/src/hydrate.test.ts',
    'packages/page/src/sdk2.test.ts',
  ],
];

export const sampledFiles = HALVES.flat();

/** The files that `npm test` leaves out with this seed. */
export function leftOut(seed) {
  if (!/^\d+$/.test(String(seed))) throw new Error('SAMPLE_SEED must be a whole number');
  return HALVES[Number(seed) % 2];
}
