import { fromUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type {
  ChainAdapter,
  ChainHealth,
  Cursor,
  DepositTarget,
  DeriveOptions,
  Liquidity,
  Match,
  ScanEvent,
  ScanLimits,
  ScanResult,
} from '../../adapter.ts';
import { AmountLimitError, UnavailableError } from '../../error.ts';
import { withinTime } from '../../within-time.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { RECEIVED_KINDS, SATOSHI_DECIMALS, USUAL_FEE } from '../kinds.ts';
import { lnurlTarget, millisatoshi, MSAT_DECIMALS, shortened, target } from '../payment-request.ts';
import type { LndInvoice } from './answers.ts';
import type { LndNode } from './node.ts';
import { createSettledInvoices } from './settled.ts';
import { blockAt, OTHER_NODE, sourceOf, type LndSetup } from './setup.ts';
import { beginningOf, heightOf, positionAt, positionOf, toCursor } from './position.ts';

export interface LndAdapterOptions {
  node: LndNode;
  setup: LndSetup;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

const HEALTH_TIMEOUT_MS = 1_500;
const LIQUIDITY_AGE_MS = 10_000;

/** Creates the adapter of a lightning node. Its blocks are the settled invoices, by their index. */
export function createLndAdapter({ node, setup, now = Date.now }: LndAdapterOptions): ChainAdapter {
  const settled = createSettledInvoices({ node, now });
  let tip = setup.beginning.settleIndex;
  let liquidity: { read: Liquidity; at: number } | null = null;

  async function readLiquidity(): Promise<Liquidity> {
    const { receivable, sendable, count } = await node.channels();
    const read = {
      channels: count,
      receivable: fromUnits(receivable, SATOSHI_DECIMALS),
      sendable: fromUnits(sendable, SATOSHI_DECIMALS),
    };
    liquidity = { read, at: now() };
    return read;
  }

  return {
    chain: 'lightning',
    network: setup.network,
    source: 'node',
    mempool: false,
    // A request that nobody can pay is not offered.
    get kinds() {
      return liquidity !== null && liquidity.read.receivable <= 0n ? [] : RECEIVED_KINDS;
    },
    health: () => health(node, setup, tip),
    deriveTarget: (options) => requestPayment(node, setup, options),
    cancelRequest: (paymentHash) => node.cancelInvoice(paymentHash),
    usualFee: async () => USUAL_FEE,
    liquidity: readLiquidity,
    onNews: (listener) => settled.onSettled(listener),
    close: () => settled.close(),
    async scan(cursor, match, limits) {
      if (liquidity === null || now() - liquidity.at > LIQUIDITY_AGE_MS) await readLiquidity();
      const result = await scan({ node, setup, settled }, cursor, match, limits);
      tip = result.tip;
      return result;
    },
    async blockAt(height) {
      return height <= tip ? blockAt(setup.source, height) : null;
    },
  };
}

interface Scan {
  node: LndNode;
  setup: LndSetup;
  settled: ReturnType<typeof createSettledInvoices>;
}

async function scan(
  { node, setup, settled }: Scan,
  cursor: Cursor | null,
  match: Match,
  { maxBlocks }: ScanLimits,
): Promise<ScanResult> {
  const start = cursor === null ? beginningOf(setup) : positionOf(cursor, setup);
  const newest = await node.newestIndex();
  const position = positionAt(start, newest);
  const found = await settled.after(position);
  const portion = found.slice(0, maxBlocks);
  const matched = await match(portion.map(watchKeyOf));
  const events: ScanEvent[] = [];
  if (start.isFromSandbox) events.push({ type: 'rollback', toHeight: -1 });
  for (const invoice of portion)
    if (matched.has(watchKeyOf(invoice)))
      events.push({
        type: 'observed',
        observation: observe(setup, invoice, heightOf(position, invoice.settle_index)),
      });
  const last = portion.at(-1)?.settle_index ?? position.settleIndex;
  const tip = heightOf(position, found.at(-1)?.settle_index ?? position.settleIndex);
  return {
    events,
    cursor: toCursor(position, setup, blockAt(setup.source, heightOf(position, last))),
    tip,
    caughtUp: portion.length === found.length,
  };
}

const watchKeyOf = ({ r_hash }: LndInvoice): string => `ln:${r_hash}`;

/** The received amount counts, also when the request asked for another one. */
function observe(setup: LndSetup, invoice: LndInvoice, height: number) {
  const { r_hash, amt_paid_msat, settle_date } = invoice;
  return {
    key: `${r_hash}:0`,
    txid: r_hash,
    asset: 'BTC',
    watchKey: watchKeyOf(invoice),
    amount: fromUnits(amt_paid_msat, MSAT_DECIMALS),
    block: { ...blockAt(setup.source, height), time: settle_date * 1_000 },
    conflicts: [],
  };
}

/**
 * The node makes the request. It is read and compared: a request of another node or amount would
 * send the buyer's money elsewhere.
 */
async function requestPayment(
  node: LndNode,
  { prefix, source, program }: LndSetup,
  options: DeriveOptions,
): Promise<DepositTarget> {
  if (options.kind === 'BTC_LIGHTNING_LNURL') return lnurlTarget(options);
  const amountMsat = options.amount === null ? null : millisatoshi(options.amount);
  await requireReceivable(node, options.amount);
  const { paymentHash, paymentRequest } = await node.addInvoice({
    amountMsat,
    expirySeconds: options.expirySeconds,
    memo: shortened(options.description),
    descriptionHash: options.descriptionHash ?? null,
    hashed: options.hashedDescription ?? null,
  });
  const decoded = decodeBolt11(paymentRequest);
  const isOurs =
    decoded.paymentHash === paymentHash &&
    decoded.amountMsat === amountMsat &&
    decoded.prefix === prefix &&
    sourceOf(program, decoded.nodeKey) === source &&
    decoded.descriptionHash === (options.descriptionHash ?? null);
  if (!isOurs)
    throw new UnavailableError('The node returned a payment request that was not asked for');
  return target([`ln:${paymentHash}`], {
    paymentRequest: paymentRequest.toLowerCase(),
    paymentHash,
    lnurl: null,
  });
}

async function requireReceivable(node: LndNode, amount: Amount | null): Promise<void> {
  const { receivable } = await node.channels();
  const limit = fromUnits(receivable, SATOSHI_DECIMALS);
  if (limit > (amount ?? 0n) || (amount !== null && limit === amount)) return;
  if (limit <= 0n || amount === null)
    throw new UnavailableError('The channels of the lightning node can receive nothing now');
  throw new AmountLimitError('is more than lightning can receive now');
}

async function health(
  node: LndNode,
  { program, source }: LndSetup,
  tip: number,
): Promise<ChainHealth> {
  const failed = (detail: string): ChainHealth => ({ ok: false, tip: null, detail });
  const ask = (): Promise<ChainHealth> =>
    node.info().then(
      ({ synced_to_chain, identity_pubkey }): ChainHealth => {
        if (sourceOf(program, identity_pubkey) !== source) return failed(OTHER_NODE);
        return synced_to_chain
          ? { ok: true, tip, detail: null }
          : failed('The lightning node is still synchronising');
      },
      (error: unknown) =>
        failed(error instanceof UnavailableError ? error.message : 'The node does not answer'),
    );
  return withinTime(ask, HEALTH_TIMEOUT_MS, () => failed('The node does not answer'));
}
