/**
 * The slowest test files of the unit step, in three parts that take about as long: browsers, nodes
 * and whole processes. `npm test` runs one part a day, by SAMPLE_SEED; `npm run nightly` runs all.
 * Files that test the same rules on another source stand in different parts.
 */
const UNIT_PARTS = [
  [
    'packages/bff/src/host/process.test.ts',
    'packages/chains/src/bitcoin/esplora/contract.test.ts',
    'packages/chains/src/evm/contract.test.ts',
    'packages/gateway/src/engine/bitcoin-contract.test.ts',
    'packages/gateway/src/engine/lightning.test.ts',
    'packages/gateway/src/main.test.ts',
    'packages/gateway/src/payout/evm.test.ts',
    'packages/gateway/src/signer/bitcoin-signer.test.ts',
    'packages/gateway/src/sweep/cold.test.ts',
    'packages/page/src/embed.test.ts',
    'packages/page/src/headers.test.ts',
    'packages/page/src/hostile-texts.test.ts',
  ],
  [
    'packages/bff/src/pages/injection.test.ts',
    'packages/chains/src/bitcoin/contract.test.ts',
    'packages/gateway/src/balance-check/balance-check.test.ts',
    'packages/gateway/src/engine/bitcoin-payouts.test.ts',
    'packages/gateway/src/engine/contract.test.ts',
    'packages/gateway/src/engine/lightning-contract.test.ts',
    'packages/gateway/src/engine/untraced/trace-later.test.ts',
    'packages/gateway/src/payout/sending/in-flight.test.ts',
    'packages/gateway/src/signer/commands.test.ts',
    'packages/gateway/src/signer/offline.test.ts',
    'packages/gateway/src/sweep/evm.test.ts',
    'packages/page/src/guest.test.ts',
    'packages/page/src/trouble.test.ts',
  ],
  [
    'packages/chains/src/bitcoin/extension-blocks.test.ts',
    'packages/chains/src/bitcoin/send/spender.test.ts',
    'packages/gateway/src/engine/bitcoin-refusals.test.ts',
    'packages/gateway/src/engine/esplora-contract.test.ts',
    'packages/gateway/src/engine/lightning-electrum.test.ts',
    'packages/gateway/src/payout/sending/kill.test.ts',
    'packages/gateway/src/signer/modes.test.ts',
    'packages/gateway/src/sweep/consolidate-coins.test.ts',
    'packages/page/src/first-paint.test.ts',
    'packages/page/src/hydrate.test.ts',
    'packages/page/src/sdk2.test.ts',
    'packages/page/src/takeover.test.ts',
  ],
];

/** The same for the longest end-to-end specs in Chromium, and those without a browser. */
const SPEC_PARTS = [
  ['crash.api.ts', 'frameworks.spec.ts', 'states.spec.ts', 'forced-colors.spec.ts'],
  ['payout-kills.api.ts', 'layout-shift.spec.ts', 'reference.spec.ts', 'dashboard-views.spec.ts'],
  ['second-start.api.ts', 'appearance.spec.ts', 'landing.spec.ts'],
];

export const sampledFiles = UNIT_PARTS.flat();
export const sampledSpecs = SPEC_PARTS.flat();

/** The files of the unit step that `npm test` leaves out with this seed. */
export const leftOut = (seed) => others(UNIT_PARTS, seed);

/** The end-to-end specs that `npm test` leaves out with this seed. */
export const leftOutSpecs = (seed) => others(SPEC_PARTS, seed);

/** All parts but the one of this seed. */
function others(parts, seed) {
  if (!/^\d+$/.test(String(seed))) throw new Error('SAMPLE_SEED must be a whole number');
  return parts.filter((_, at) => at !== Number(seed) % parts.length).flat();
}
