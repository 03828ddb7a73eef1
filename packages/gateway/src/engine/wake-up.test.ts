import { mnemonicToSeedSync } from '@scure/bip39';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import {
  openBitcoinChain,
  startBitcoinPayer,
  words,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import {
  describeWithZmq,
  startZmqPublisher,
  type ZmqPublisher,
} from '../../../chains/test/support/zmq-publisher.ts';
import { testClock } from '../../test/support/context.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { loadConfig } from '../config.ts';
import { startWorker, type Worker } from '../worker/worker.ts';
import { createBitcoinChain, createBitcoinConnection } from './bitcoin-chain.ts';

const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
/** Longer than the test. */
const NEVER_MS = 600_000;
const OFTEN_MS = 200;

describeOnLitecoind("a node's messages", () => {
  describeWithZmq('to the worker', () => {
    let payer: BitcoinPayer;
    let chain: BitcoinChain;
    let publisher: ZmqPublisher;
    let shop: TestShop;
    let worker: Worker | null = null;
    beforeAll(async () => {
      payer = await startBitcoinPayer();
    });
    afterAll(() => payer?.stop());
    beforeEach(async () => {
      chain = await openBitcoinChain(payer, 'bitcoin');
      publisher = await startZmqPublisher();
    }, 30_000);
    afterEach(async () => {
      await worker?.stop();
      worker = null;
      await shop?.close();
      await publisher?.stop();
      // Each shop has the same addresses; its payments leave the mempool.
      await payer.mine(1);
      await chain?.close();
    });

    /** A gateway whose looks at the chain are this far apart. */
    async function start(scanIntervalMs: number): Promise<ShownInvoice> {
      const config = loadConfig({
        SECRETS_KEY: '00'.repeat(32),
        LOG_LEVEL: 'silent',
        BTC_RPC_URL: chain.url,
        BTC_ZMQ_URL: publisher.url,
        BTC_NETWORK: 'regtest',
      });
      shop = await testShop({
        chains: ['bitcoin'],
        overrides: { clock: testClock(Date.now()), config: { ...config, scanIntervalMs } },
      });
      const connection = createBitcoinConnection('bitcoin', config.bitcoinNodes.bitcoin!);
      await connection.tryToOpen(null);
      const { adapter } = createBitcoinChain(connection, {
        network: 'testnet',
        keys,
        db: shop.context.db,
        keysMode: 'local',
        log: shop.context.log,
      });
      (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', adapter);
      await shop.settle();
      const invoice = await shop.create();
      worker = startWorker(shop.context);
      await publisher.subscribed('hashtx');
      return invoice;
    }

    const seen = async (): Promise<string[]> => {
      const { rows } = await sql<{
        txid: string;
      }>`select txid from transaction order by created_at, number`.execute(shop.context.db);
      return rows.map(({ txid }) => txid);
    };
    const pay = ({ address }: ShownInvoice): Promise<string> =>
      chain.pay({ address: address ?? null } as never, parseAmount('0.002'));

    it('begin the next look at once', async () => {
      const invoice = await start(NEVER_MS);
      const first = await pay(invoice);
      publisher.publish('hashtx');
      await vi.waitFor(async () => expect(await seen()).toEqual([first]), 10_000);
      // The worker pauses now.
      const second = await pay(invoice);
      expect(await seen()).toEqual([first]);
      publisher.publish('rawtx', 300);
      await vi.waitFor(async () => expect(await seen()).toEqual([first, second]), 10_000);
    });

    it('that say what is not so change nothing', async () => {
      const invoice = await start(NEVER_MS);
      for (const topic of ['hashtx', 'hashblock', 'rawtx', 'rawblock'])
        for (let count = 0; count < 50; count += 1) publisher.publish(topic, count);
      const txid = await pay(invoice);
      publisher.publish('hashblock', 0);
      await vi.waitFor(async () => expect(await seen()).toEqual([txid]), 10_000);
      expect((await shop.get(invoice.id)).status).toBe('pending');
    });

    it('that never come change nothing but the speed', async () => {
      const invoice = await start(OFTEN_MS);
      await publisher.stop();
      const txid = await pay(invoice);
      await vi.waitFor(async () => expect(await seen()).toEqual([txid]), 10_000);
    });
  });
});
