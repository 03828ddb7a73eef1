import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { Address, OutScript, p2wpkh, TEST_NETWORK, Transaction } from '@scure/btc-signer';
import { startLitecoind, type Litecoind } from '../litecoind.ts';
import { ldk, okOf, someOf, startLdkNode, type LdkNode } from './ldk-node.ts';
import { LndBook, paymentParameters } from './lnd-book.ts';

/** Two lightning nodes with a channel, on a chain of their own. */
export interface LightningNetwork {
  chain: Litecoind;
  /** The node of the shop, with LND's lists. */
  book: LndBook;
  payer: Payer;
  /** Ends the connection between the nodes, or makes it again. */
  connect(isConnected: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A wallet that is not ours. */
export interface Payer {
  node: LdkNode;
  /**
   * Pays a request; resolves when the payment has ended.
   * @param msat the amount, also another one than the request's. Default: the request's
   */
  pay(request: string, msat?: bigint): Promise<{ paid: boolean; preimage: string | null }>;
  /** Sends a payment without waiting for its end. */
  begin(request: string, msat?: bigint): string;
  /** Has the node's events from now on. */
  listen(): void;
  /** Makes a request of its own. Null: any amount. */
  request(
    msat: bigint | null,
    expirySeconds?: number,
    /** LUD-06: the request has the hash of it. */
    metadata?: string,
  ): { request: string; hash: string };
  /** Payments that arrive are kept while this is true. */
  holds: boolean;
  /** Refuses the payments that were kept, or takes them. */
  settle(takes: boolean): void;
  /** Amount received for a request. */
  received(hash: string): bigint;
}

export interface NetworkOptions {
  /** Satoshis of the channel, which the payer opens. Default: 200 bitcoins. */
  capacity?: bigint;
  /** Share of the shop at its start. Default: 50 bitcoins. */
  ours?: bigint;
}

const COIN = 100_000_000n;

/** Starts a chain, two nodes, and a channel that is confirmed. */
export async function startLightningNetwork({
  capacity = 200n * COIN,
  ours = 50n * COIN,
}: NetworkOptions = {}): Promise<LightningNetwork> {
  const chain = await startLitecoind();
  // Many blocks at once run ahead of the clock, and LDK takes its time from the newest one.
  await chain.call('setmocktime', Math.floor(Date.now() / 1_000) - 600);
  await mineTo(chain, 110);
  await chain.call('setmocktime', 0);
  const seed = 1 + (randomBytes(1)[0]! % 100);
  const shop = await startLdkNode({ chain, seed });
  const node = await startLdkNode({ chain, seed: seed + 101 });
  const payer = createPayer(node);
  await node.connect(shop);
  await until(() => node.peers() === 1 && shop.peers() === 1);
  await openChannel({ chain, from: node, to: shop, capacity, ours });
  const book = new LndBook(shop);
  payer.listen();
  return {
    chain,
    book,
    payer,
    async connect(isConnected) {
      if (isConnected) await node.connect(shop);
      else node.disconnect();
      const usable = isConnected ? 1 : 0;
      await until(() => shop.manager.list_usable_channels().length === usable);
    },
    async stop() {
      shop.stop();
      node.stop();
      await chain.stop();
    },
  };
}

export interface ChannelToOpen {
  chain: Litecoind;
  from: LdkNode;
  to: LdkNode;
  capacity: bigint;
  ours: bigint;
}

/** Opens a channel, and waits until both can use it. */
export async function openChannel({
  chain,
  from,
  to,
  capacity,
  ours,
}: ChannelToOpen): Promise<void> {
  const channels = from.manager.list_usable_channels().length;
  const wanted = new Promise<ldk.Event_FundingGenerationReady>((resolve) =>
    from.onEvent((event) => {
      if (event instanceof ldk.Event_FundingGenerationReady) resolve(event);
    }),
  );
  okOf(from.manager.create_channel(hex.decode(to.id), capacity, ours * 1_000n, 7n, null, null));
  from.work();
  const funding = await wanted;
  const raw = await fund(chain, funding);
  okOf(
    from.manager.funding_transaction_generated(
      funding.temporary_channel_id,
      funding.counterparty_node_id,
      hex.decode(raw),
    ),
  );
  from.work();
  await until(async () => {
    await from.sync();
    return (await chain.call<string[]>('getrawmempool')).length > 0;
  });
  await mineTo(chain, 6);
  await from.sync();
  await to.sync();
  await until(
    () =>
      from.manager.list_usable_channels().length > channels &&
      to.manager.list_usable_channels().length > 0,
  );
}

/** The key that blocks are mined to, and its format on litecoind's test chain. */
const MINER_KEY = new Uint8Array(32).fill(7);
const ADDRESSES = { ...TEST_NETWORK, bech32: 'rltc' };
const MINER = p2wpkh(secp256k1.getPublicKey(MINER_KEY, true), ADDRESSES);
const REWARD = 50n * COIN;
const FEE = 10_000n;

/** Mines blocks to the miner of the tests. */
export const mineTo = (chain: Litecoind, blocks: number): Promise<unknown> =>
  chain.call('generatetoaddress', blocks, MINER.address);

/** Sends mined coins to an address. */
export async function sendTo(chain: Litecoind, address: string, amount: bigint): Promise<void> {
  const script = OutScript.encode(Address(ADDRESSES).decode(address));
  await chain.call('sendrawtransaction', await transactionTo(chain, script, amount));
}

const fund = (
  chain: Litecoind,
  { output_script, channel_value_satoshis }: ldk.Event_FundingGenerationReady,
): Promise<string> => transactionTo(chain, output_script, channel_value_satoshis);

/** A signed transaction of the first unspent mined coins with this output. */
async function transactionTo(
  chain: Litecoind,
  script: Uint8Array,
  amount: bigint,
): Promise<string> {
  const transaction = new Transaction();
  let total = 0n;
  for (let height = 1; total < amount + FEE; height += 1) {
    const hash = await chain.call<string>('getblockhash', height);
    const { tx } = await chain.call<{ tx: string[] }>('getblock', hash);
    const isUnspent = (await chain.call('gettxout', tx[0], 0)) !== null;
    if (!isUnspent) continue;
    transaction.addInput({
      txid: tx[0]!,
      index: 0,
      witnessUtxo: { script: MINER.script, amount: REWARD },
    });
    total += REWARD;
  }
  transaction.addOutput({ script, amount });
  transaction.addOutputAddress(MINER.address, total - amount - FEE, ADDRESSES);
  transaction.sign(MINER_KEY);
  transaction.finalize();
  return transaction.hex;
}

/** A wallet on a node. It has the node's events once it listens. */
export function createPayer(node: LdkNode): Payer {
  const ended = new Map<string, { paid: boolean; preimage: string | null }>();
  const kept: { hash: Uint8Array; preimage: Uint8Array }[] = [];
  const received = new Map<string, bigint>();
  const { manager } = node;

  function arrive(event: ldk.Event_PaymentClaimable): void {
    const { purpose } = event as unknown as { purpose: { preimage(): object } };
    const preimage = someOf<Uint8Array>(purpose.preimage())!;
    if (payer.holds) kept.push({ hash: event.payment_hash, preimage });
    else manager.claim_funds(preimage);
  }

  function handle(event: ldk.Event): void {
    if (event instanceof ldk.Event_PaymentClaimable) arrive(event);
    if (event instanceof ldk.Event_PaymentClaimed) {
      const hash = hex.encode(event.payment_hash);
      received.set(hash, (received.get(hash) ?? 0n) + event.amount_msat);
    }
    if (event instanceof ldk.Event_PaymentSent)
      ended.set(hex.encode(event.payment_hash), {
        paid: true,
        preimage: hex.encode(event.payment_preimage),
      });
    if (event instanceof ldk.Event_PaymentFailed) {
      const hash = someOf<Uint8Array>(event.payment_hash);
      if (hash) ended.set(hex.encode(hash), { paid: false, preimage: null });
    }
  }

  const payer = {
    node,
    holds: false,
    listen: () => node.onEvent(handle),
    begin(request: string, msat?: bigint): string {
      const invoice = okOf<ldk.Bolt11Invoice>(ldk.Bolt11Invoice.constructor_from_str(request));
      const hash = hex.encode(invoice.payment_hash());
      ended.delete(hash);
      const stated = someOf<bigint>(invoice.amount_milli_satoshis());
      const { onion, route } = paymentParameters(invoice, stated === undefined ? msat! : null);
      if (stated !== undefined && msat !== undefined) route.set_final_value_msat(msat);
      const sent = manager.send_payment(
        invoice.payment_hash(),
        // The total that the recipient waits for is that of the payment.
        stated !== undefined && msat !== undefined
          ? ldk.RecipientOnionFields.constructor_secret_only(invoice.payment_secret())
          : onion,
        new Uint8Array(randomBytes(32)),
        route,
        ldk.Retry.constructor_attempts(1),
      );
      node.work();
      if (!sent.is_ok()) ended.set(hash, { paid: false, preimage: null });
      return hash;
    },
    async pay(request: string, msat?: bigint) {
      const hash = payer.begin(request, msat);
      await until(() => ended.has(hash));
      return ended.get(hash)!;
    },
    request(msat: bigint | null, expirySeconds = 3_600, metadata?: string) {
      const invoice = okOf<ldk.Bolt11Invoice>(
        manager.create_bolt11_invoice(
          msat === null
            ? ldk.Option_u64Z.constructor_none()
            : ldk.Option_u64Z.constructor_some(msat),
          describedBy(metadata),
          ldk.Option_u32Z.constructor_some(expirySeconds),
          ldk.Option_u16Z.constructor_none(),
          ldk.Option_ThirtyTwoBytesZ.constructor_none(),
        ),
      );
      return { request: invoice.to_str(), hash: hex.encode(invoice.payment_hash()) };
    },
    settle(takes: boolean): void {
      for (const { hash, preimage } of kept.splice(0))
        if (takes) manager.claim_funds(preimage);
        else manager.fail_htlc_backwards(hash);
      node.work();
    },
    received: (hash: string) => received.get(hash) ?? 0n,
  };
  return payer;
}

function describedBy(metadata: string | undefined): ldk.Bolt11InvoiceDescription {
  if (metadata === undefined)
    return ldk.Bolt11InvoiceDescription.constructor_direct(
      okOf<ldk.Description>(ldk.Description.constructor_new('a payout')),
    );
  const hash = sha256(new TextEncoder().encode(metadata));
  return ldk.Bolt11InvoiceDescription.constructor_hash(ldk.Sha256.constructor_from_bytes(hash));
}

/** Waits for a state that another process or node brings about. */
export async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 20) {
    if (await test()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('The expected state timed out');
}
