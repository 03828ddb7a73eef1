import { fromUnits, roundUp, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type {
  ChainAdapter,
  ChainHealth,
  Cursor,
  DepositTarget,
  DeriveOptions,
  Match,
  ScanEvent,
  ScanLimits,
  ScanResult,
} from '../../adapter.ts';
import { isCursorOf, sourceOf, startCursor } from '../../cursor.ts';
import { UnavailableError } from '../../error.ts';
import { withinTime } from '../../within-time.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { RECEIVED_KINDS, SATOSHI_DECIMALS, USUAL_FEE } from '../kinds.ts';
import { blockAt, isNode, OTHER_NODE } from '../lnd/setup.ts';
import { lnurlTarget, MSAT_DECIMALS, shortened, target } from '../payment-request.ts';
import type { PhoenixdPayment } from './answers.ts';
import type { Phoenixd } from './client.ts';
import { secondOf, type PhoenixdSetup } from './setup.ts';

export interface PhoenixdAdapterOptions {
  node: Phoenixd;
  setup: PhoenixdSetup;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

const HEALTH_TIMEOUT_MS = 1_500;
/** phoenixd allows 128 characters. */
const MAX_DESCRIPTION = 128;
/**
 * The list is ordered by the node's clock, and a payment can be listed a little later than its
 * time. So each look begins this long before the newest payment.
 */
const OVERLAP_SECONDS = 600;

/**
 * Creates the adapter of phoenixd, which only receives. Its blocks are the seconds in which
 * payments were complete.
 */
export function createPhoenixdAdapter({
  node,
  setup,
  now = Date.now,
}: PhoenixdAdapterOptions): ChainAdapter {
  let tip = setup.scan.beginning.height;
  return {
    chain: 'lightning',
    network: setup.network,
    source: 'node',
    mempool: false,
    kinds: RECEIVED_KINDS,
    health: () => health(node, setup, tip),
    deriveTarget: (options) => requestPayment(node, setup, options),
    usualFee: async () => USUAL_FEE,
    async scan(cursor, match, limits) {
      const result = await scan(node, setup, { cursor, match, limits, now: secondOf(now()) });
      tip = result.tip;
      return result;
    },
    async blockAt(height) {
      return height <= tip ? blockAt(setup.scan.source, height) : null;
    },
  };
}

interface Look {
  cursor: Cursor | null;
  match: Match;
  limits: ScanLimits;
  /** The second by the own clock. */
  now: number;
}

async function scan(
  node: Phoenixd,
  { scan: { beginning, source } }: PhoenixdSetup,
  { cursor, match, limits, now }: Look,
): Promise<ScanResult> {
  const events: ScanEvent[] = [];
  const start = isCursorOf(cursor, source) ? cursor : startCursor(beginning, source);
  // Payments of the sandbox do not exist on a node; those of another node stay received.
  if (cursor !== null && !isNode(sourceOf(cursor) ?? ''))
    events.push({ type: 'rollback', toHeight: -1 });
  const seen = new Set((start.extra?.['seen'] ?? '').split(' '));
  const from = Math.max(0, start.height - OVERLAP_SECONDS);
  const found = inOrder(await node.incoming(from * 1_000));
  const unread = found.filter(({ paymentHash }) => !seen.has(shortOf(paymentHash)));
  const portion = unread.slice(0, limits.maxBlocks);
  const matched = await match(portion.map(watchKeyOf));
  for (const payment of portion)
    if (matched.has(watchKeyOf(payment)))
      events.push({ type: 'observed', observation: observe(source, payment) });
  // A node whose clock was ahead for a while gives later payments earlier times.
  const read = portion.map(heightOf).filter((at) => at <= now);
  const height = Math.max(start.height, ...read);
  const recent = found.filter(
    (payment) =>
      heightOf(payment) >= height - OVERLAP_SECONDS &&
      (seen.has(shortOf(payment.paymentHash)) || portion.includes(payment)),
  );
  const extra = { source, seen: recent.map(({ paymentHash }) => shortOf(paymentHash)).join(' ') };
  const caughtUp = portion.length === unread.length;
  return {
    events,
    cursor: { ...startCursor(blockAt(source, height), source), extra },
    tip: Math.max(height, ...found.map(heightOf)),
    caughtUp,
  };
}

const inOrder = (payments: readonly PhoenixdPayment[]): PhoenixdPayment[] =>
  [...new Map(payments.map((payment) => [payment.paymentHash, payment])).values()].toSorted(
    (a, b) => a.completedAt - b.completedAt || (a.paymentHash < b.paymentHash ? -1 : 1),
  );

const heightOf = ({ completedAt }: PhoenixdPayment): number => secondOf(completedAt);
const watchKeyOf = ({ paymentHash }: PhoenixdPayment): string => `ln:${paymentHash}`;
/** Enough to tell the payments of minutes apart. */
const shortOf = (paymentHash: string): string => paymentHash.slice(0, 24);

function observe(source: string, payment: PhoenixdPayment) {
  const { paymentHash, completedAt } = payment;
  return {
    key: `${paymentHash}:0`,
    txid: paymentHash,
    asset: 'BTC',
    watchKey: watchKeyOf(payment),
    amount: paidAmount(payment),
    receivingFee: fromUnits(payment.fees, MSAT_DECIMALS),
    block: { ...blockAt(source, heightOf(payment)), time: completedAt },
    conflicts: [],
  };
}

/**
 * The amount that the buyer paid: phoenixd takes its fee for liquidity out of it. It cuts off the
 * rest to whole satoshis, in which its requests are.
 */
export function paidAmount({ receivedSat, fees }: PhoenixdPayment): Amount {
  const total = fromUnits(receivedSat * 1_000n + fees, MSAT_DECIMALS);
  return roundUp(total, SATOSHI_DECIMALS);
}

/**
 * The node makes the request. It is read and compared: a request of another node or amount would
 * send the buyer's money elsewhere.
 */
async function requestPayment(
  node: Phoenixd,
  { prefixes, nodeKey }: PhoenixdSetup,
  options: DeriveOptions,
): Promise<DepositTarget> {
  if (options.kind === 'BTC_LIGHTNING_LNURL') return lnurlTarget(options);
  const { amount, expirySeconds, descriptionHash } = options;
  const satoshis =
    amount === null ? null : toUnits(roundUp(amount, SATOSHI_DECIMALS), SATOSHI_DECIMALS);
  const { paymentHash, serialized } = await node.createInvoice({
    expirySeconds: String(expirySeconds),
    ...(satoshis !== null && { amountSat: String(satoshis) }),
    ...(descriptionHash === undefined
      ? { description: shortened(options.description).slice(0, MAX_DESCRIPTION) }
      : { descriptionHash }),
  });
  const decoded = decodeBolt11(serialized);
  const isOurs =
    decoded.paymentHash === paymentHash &&
    decoded.amountMsat === (satoshis === null ? null : satoshis * 1_000n) &&
    prefixes.includes(decoded.prefix) &&
    decoded.nodeKey === nodeKey &&
    decoded.expirySeconds === expirySeconds &&
    decoded.descriptionHash === (descriptionHash ?? null);
  if (!isOurs)
    throw new UnavailableError('The node returned a payment request that was not asked for');
  return target([`ln:${paymentHash}`], {
    paymentRequest: serialized.toLowerCase(),
    paymentHash,
    lnurl: null,
  });
}

async function health(
  node: Phoenixd,
  { nodeKey }: PhoenixdSetup,
  tip: number,
): Promise<ChainHealth> {
  const failed = (detail: string): ChainHealth => ({ ok: false, tip: null, detail });
  const ask = (): Promise<ChainHealth> =>
    node.info().then(
      ({ nodeId }): ChainHealth =>
        nodeId === nodeKey ? { ok: true, tip, detail: null } : failed(OTHER_NODE),
      (error: unknown) =>
        failed(error instanceof UnavailableError ? error.message : 'The node does not answer'),
    );
  return withinTime(ask, HEALTH_TIMEOUT_MS, () => failed('The node does not answer'));
}
