/**
 * The slowest test files of the unit step, in four parts that take about as long: browsers, nodes
 * and whole processes. `npm test` runs one part a day, by SAMPLE_SEED; `npm run nightly` runs all.
 * Files that test the same rules on another source stand in different parts.
 */
const UNIT_PARTS = [
  [
    'packages/bff/src/callbacks/callback-receiver.test.ts',
    'packages/bff/src/host/process.test.ts',
    'packages/bff/src/refunds/routes.test.ts',
    'packages/chains/src/bitcoin/esplora/contract.test.ts',
    'packages/chains/src/evm/contract.test.ts',
    'packages/chains/src/key-file.test.ts',
    'packages/chains/src/lightning/lnd/adapter.test.ts',
    'packages/gateway/src/dashboard/api.test.ts',
    'packages/gateway/src/engine/bitcoin-contract.test.ts',
    'packages/gateway/src/engine/lightning.test.ts',
    'packages/gateway/src/engine/open-late.test.ts',
    'packages/gateway/src/exchange/kill.test.ts',
    'packages/gateway/src/main.test.ts',
    'packages/gateway/src/payout/evm.test.ts',
    'packages/gateway/src/payout/lifecycle.test.ts',
    'packages/gateway/src/risk/risk.test.ts',
    'packages/gateway/src/signer/bitcoin-signer.test.ts',
    'packages/gateway/src/sweep/cold.test.ts',
    'packages/gateway/test/flows.test.ts',
    'packages/page/src/embed.test.ts',
    'packages/page/src/hostile-texts.test.ts',
  ],
  [
    'packages/bff/src/checkouts/checkout-opener.test.ts',
    'packages/bff/src/checkouts/invoices/checkout-invoices.test.ts',
    'packages/bff/src/pages/injection.test.ts',
    'packages/chains/src/bitcoin/adapter.test.ts',
    'packages/chains/src/bitcoin/contract.test.ts',
    'packages/chains/src/evm/adapter.test.ts',
    'packages/gateway/src/balance-check/balance-check.test.ts',
    'packages/gateway/src/engine/bitcoin-late.test.ts',
    'packages/gateway/src/engine/contract.test.ts',
    'packages/gateway/src/engine/untraced/trace-later.test.ts',
    'packages/gateway/src/payout/provider.test.ts',
    'packages/gateway/src/payout/sending/in-flight.test.ts',
    'packages/gateway/src/refund/routes.test.ts',
    'packages/gateway/src/signer/attacker.test.ts',
    'packages/gateway/src/signer/lightning-process.test.ts',
    'packages/gateway/src/signer/offline.test.ts',
    'packages/gateway/src/sweep/evm.test.ts',
    'packages/page/src/guest.test.ts',
    'packages/page/src/headers.test.ts',
    'packages/page/src/hydrate.test.ts',
    'packages/page/src/trouble.test.ts',
  ],
  [
    'packages/chains/src/bitcoin/esplora/adapter.test.ts',
    'packages/chains/src/bitcoin/extension-blocks.test.ts',
    'packages/chains/src/bitcoin/send/spender.test.ts',
    'packages/gateway/src/database/embedded.test.ts',
    'packages/gateway/src/engine/apply.test.ts',
    'packages/gateway/src/engine/bitcoin-refusals.test.ts',
    'packages/gateway/src/engine/compare-blocks.test.ts',
    'packages/gateway/src/engine/esplora-contract.test.ts',
    'packages/gateway/src/engine/lightning-electrum.test.ts',
    'packages/gateway/src/payout/approval/decide.test.ts',
    'packages/gateway/src/payout/sending/kill.test.ts',
    'packages/gateway/src/payout/sending/replace.test.ts',
    'packages/gateway/src/signer/modes.test.ts',
    'packages/gateway/src/signer/process.test.ts',
    'packages/gateway/src/sweep/consolidate-coins.test.ts',
    'packages/page/src/server-rendering.test.ts',
    'packages/page/src/takeover.test.ts',
  ],
  [
    'demo/reference.test.ts',
    'packages/bff/src/checkouts/poller/checkout-poller.test.ts',
    'packages/chains/src/evm/provider.test.ts',
    'packages/chains/src/lightning/cln/payer.test.ts',
    'packages/gateway/src/automation/payout/run.test.ts',
    'packages/gateway/src/callback/deliver.test.ts',
    'packages/gateway/src/cli/program.test.ts',
    'packages/gateway/src/engine/bitcoin-payouts.test.ts',
    'packages/gateway/src/engine/lightning-contract.test.ts',
    'packages/gateway/src/engine/same-lightning-node.test.ts',
    'packages/gateway/src/payout/routes.test.ts',
    'packages/gateway/src/profile/bad-input.test.ts',
    'packages/gateway/src/signer/commands.test.ts',
    'packages/gateway/src/sweep/kill.test.ts',
    'packages/gateway/test/simulation/simulation.test.ts',
    'packages/page/src/first-paint.test.ts',
    'packages/page/src/first-screen.test.ts',
    'packages/page/src/sdk2.test.ts',
  ],
];

/** The same for the longest end-to-end specs, with a browser and without one. */
const SPEC_PARTS = [
  [
    'crash.api.ts',
    'dashboard.spec.ts',
    'forced-colors.spec.ts',
    'frameworks.spec.ts',
    'network.spec.ts',
    'states.spec.ts',
  ],
  [
    'dashboard-views.spec.ts',
    'keyboard.spec.ts',
    'layout-shift.spec.ts',
    'payout-kills.api.ts',
    'policy.spec.ts',
    'refund.spec.ts',
    'tampering.spec.ts',
  ],
  ['appearance.spec.ts', 'landing.spec.ts', 'second-start.api.ts'],
  [
    'after-payment.spec.ts',
    'dashboard-actions.spec.ts',
    'events.spec.ts',
    'noscript.spec.ts',
    'qr-codes.spec.ts',
    'reference.spec.ts',
  ],
];

/** Specs that run in Chromium every day, and in the slower engines every second one. */
const ENGINE_PARTS = {
  firefox: [['hosted.spec.ts'], ['buy.spec.ts']],
  webkit: [['webkit.spec.ts'], ['webkit-flows.spec.ts']],
};

/** The elements' test files run in each engine every so many days. */
const COMPONENT_DAYS = { chromium: 2, firefox: 4, webkit: 4 };

export const sampledFiles = UNIT_PARTS.flat();
export const sampledSpecs = SPEC_PARTS.flat();
export const engineSpecs = {
  firefox: ENGINE_PARTS.firefox.flat(),
  webkit: ENGINE_PARTS.webkit.flat(),
};

/** The files of the unit step that `npm test` leaves out with this seed. */
export const leftOut = (seed) => others(UNIT_PARTS, seed);

/** The end-to-end specs that `npm test` leaves out in this engine with this seed. */
export const leftOutSpecs = (seed, engine) => [
  ...others(SPEC_PARTS, seed),
  ...others(ENGINE_PARTS[engine] ?? [], seed),
];

/**
 * The elements' test files that `npm test` runs in this engine with this seed; Firefox and WebKit
 * run different ones.
 * @param all every file, always in the same order
 */
export function componentFiles(all, seed, engine) {
  const days = COMPONENT_DAYS[engine];
  // Other files than the slower engines: together the three run every file every day.
  const shift = { chromium: 1, webkit: 2 }[engine] ?? 0;
  const first = remainder(seed, days) + shift;
  return all.filter((_, at) => at % days === first % days);
}

/**
 * Counts the days on which a sampled file runs: a sample within such a file follows this number,
 * because its seeds themselves all have the same remainder.
 */
export const turnOf = (seed) => Math.floor(Number(seed) / UNIT_PARTS.length);

/** All parts but the one of this seed. */
const others = (parts, seed) => {
  const today = remainder(seed, parts.length);
  return parts.filter((_, at) => at !== today).flat();
};

function remainder(seed, days) {
  if (!/^\d+$/.test(String(seed))) throw new Error('SAMPLE_SEED must be a whole number');
  return Number(seed) % days;
}
