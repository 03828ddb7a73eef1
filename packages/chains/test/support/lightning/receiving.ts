import { parseAmount } from '@crypto-checkout/protocol/amount';
import { expect, it } from 'vitest';
import type { DepositTarget } from '../../../src/adapter.ts';
import { decodeBolt11 } from '../../../src/lightning/bolt11.ts';
import { Observer } from '../observer.ts';
import { until, type LightningNetwork } from './lightning-network.ts';
import type { NodeChain } from './node-chain.ts';

const SATOSHI = parseAmount('0.00000001');

interface Receiving {
  network: LightningNetwork;
  chain: NodeChain & { server: { restart(): Promise<void> } };
}

/** Derives a payment request, and watches for its payment. */
export async function watched(
  chain: NodeChain,
  observer: Observer,
  options: Parameters<NodeChain['derive']>[0],
): Promise<DepositTarget> {
  const target = await chain.derive(options);
  observer.watchTarget(target);
  return target;
}

/** The promises of every node that the gateway asks for its settled invoices. */
export function testReceiving(setting: () => Receiving): void {
  it('makes and signs payment requests, with amount, expiry and description', async () => {
    const { network, chain } = setting();
    const { watchKeys, lightning } = await chain.derive({
      amount: parseAmount('0.00012345678'),
      expirySeconds: 321,
      description: 'Zwei Stück',
    });
    const request = decodeBolt11(lightning!.paymentRequest!);
    expect(request).toMatchObject({
      prefix: 'bcrt',
      amountMsat: 12_345_678n,
      expirySeconds: 321,
      description: 'Zwei Stück',
      paymentHash: lightning!.paymentHash,
      nodeKey: network.book.node.id,
    });
    expect(watchKeys).toEqual([`ln:${request.paymentHash}`]);
  });

  it('refuses payment requests above the amount that the channels can receive', async () => {
    await expect(setting().chain.derive({ amount: parseAmount('199') })).rejects.toThrow(
      'is more than lightning can receive now',
    );
  });

  it('counts a payment when it is settled, not while the node holds it', async () => {
    const { network, chain } = setting();
    const observer = await Observer.begin(chain);
    network.book.holds = true;
    const { lightning } = await watched(chain, observer, { amount: 1_000n * SATOSHI });
    network.payer.begin(lightning!.paymentRequest!);
    const booked = network.book.invoices.get(lightning!.paymentHash!)!;
    await until(() => booked.state === 'ACCEPTED');
    await observer.look();
    expect(observer.payments).toEqual([]);
    network.book.release();
    await until(() => booked.state === 'SETTLED');
    await observer.look();
    expect(observer.payments).toMatchObject([{ amount: 1_000n * SATOSHI, state: 'block' }]);
  });

  it('finds payments that were settled while the service was stopped', async () => {
    const { chain } = setting();
    const observer = await Observer.begin(chain);
    const targets = [];
    for (let count = 0; count < 5; count += 1) targets.push(await watched(chain, observer, {}));
    for (const target of targets) await chain.pay(target, SATOSHI);
    await chain.server.restart();
    await observer.restart();
    await observer.look();
    expect(observer.payments.map(({ txid }) => txid)).toEqual(
      targets.map(({ lightning }) => lightning!.paymentHash),
    );
  });

  it('announces a payment, so that no scan has to be waited for', async () => {
    const { chain } = setting();
    const observer = await Observer.begin(chain);
    const adapter = await chain.open();
    await adapter.scan(observer.cursor, async () => new Set(), {
      maxBlocks: 10,
      open: [],
      signal: AbortSignal.timeout(10_000),
    });
    const news = new Promise<void>((resolve) => adapter.onNews!(resolve));
    await chain.pay(await watched(chain, observer, {}), SATOSHI);
    await news;
  });
}
