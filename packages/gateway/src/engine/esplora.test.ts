import { sql } from 'kysely';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { scriptOf } from '@crypto-checkout/chains/bitcoin/address';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import {
  startBitcoinPayer,
  words,
  type BitcoinPayer,
  type Payable,
} from '../../../chains/test/support/bitcoin-chain.ts';
import {
  openEsploraChain,
  type EsploraChain,
} from '../../../chains/test/support/esplora/esplora-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { testClock } from '../../test/support/context.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { loadConfig } from '../config.ts';
import { createBitcoinChain, createBitcoinConnection } from './bitcoin-chain.ts';

const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
const FINAL = CHAINS.bitcoin.finalConfirmations;
const DIFFERENT =
  'The providers of the chain have different blocks at this payment: it waits until they agree';
const UNKNOWN = 'No second provider shows the block of this payment: it waits until one does';

describeOnLitecoind('a node and a service beside it', () => {
  let payer: BitcoinPayer;
  let chain: EsploraChain;
  let shop: TestShop;
  /** The events of the log. */
  let logged: string[];
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    chain = await openEsploraChain(payer, 'bitcoin');
    shop = await testShop({
      chains: ['bitcoin'],
      overrides: { clock: testClock(Date.now()) },
    });
    logged = [];
    const connection = createBitcoinConnection('bitcoin', bitcoinConfig());
    await connection.tryToOpen(null);
    const { adapter } = createBitcoinChain(connection, {
      network: 'testnet',
      keys,
      db: shop.context.db,
      keysMode: 'local',
      log: { warn: (fields: unknown) => void logged.push((fields as { event: string }).event) },
    });
    (shop.context.chains as Map<string, ChainAdapter>).set('bitcoin', adapter);
    await shop.settle();
  }, 30_000);
  afterEach(async () => {
    await shop?.close();
    await chain?.close();
  });

  const bitcoinConfig = () =>
    loadConfig({
      BTC_RPC_URL: chain.nodeUrl,
      BTC_ESPLORA_URL: chain.server.url,
      BTC_NETWORK: 'regtest',
    }).bitcoinNodes.bitcoin!;

  const mine = async (blocks: number): Promise<void> => {
    await payer.mine(blocks);
    await shop.settle();
  };
  const statuses = async (...invoices: ShownInvoice[]): Promise<string[]> =>
    Promise.all(invoices.map(async ({ id }) => (await shop.get(id)).status));
  const alarms = async (): Promise<string[]> =>
    (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
      ({ reason }) => reason,
    );
  /** 10,000 USD and 100 USD at the fixed rate, both in the next block. */
  async function payBoth(): Promise<[ShownInvoice, ShownInvoice]> {
    const large = await shop.create({ amount: '10000' });
    const small = await shop.create({ amount: '100' });
    await payer.send([payable(large, '0.2'), payable(small, '0.002')]);
    return [large, small];
  }
  const payable = ({ address }: ShownInvoice, amount: string): Payable => ({
    script: scriptOf(bitcoinNetwork('bitcoin', 'regtest').versions, address!),
    units: toUnits(parseAmount(amount), 8),
  });
  const lieAbout = (height: number): void =>
    chain.server.change((path, answer) =>
      path === `/block-height/${height}` ? { status: 200, body: 'ab'.repeat(32) } : answer,
    );
  const tip = (): Promise<number> => payer.node.call<number>('getblockcount');

  describe('a payment above the limit', () => {
    it('is complete when both have its block', async () => {
      const both = await payBoth();
      await mine(FINAL - 1);
      expect(await statuses(...both)).toEqual(['paid', 'paid']);
      await mine(1);
      expect(await statuses(...both)).toEqual(['complete', 'complete']);
      expect(await alarms()).toEqual([]);
    });

    it('waits with an alarm while the service has another block at its height', async () => {
      const both = await payBoth();
      await mine(1);
      lieAbout(await tip());
      await mine(FINAL - 1);
      expect(await statuses(...both)).toEqual(['paid', 'complete']);
      expect(await alarms()).toEqual([DIFFERENT]);
      chain.server.change((_, answer) => answer);
      await mine(1);
      expect(await statuses(...both)).toEqual(['complete', 'complete']);
      expect(await alarms()).toEqual([]);
    });

    it('waits while the service is silent, and an alarm says so after a while', async () => {
      const both = await payBoth();
      await mine(1);
      chain.server.change(() => null);
      await mine(FINAL - 1);
      expect(await statuses(...both)).toEqual(['paid', 'complete']);
      expect(await alarms()).toEqual([]);
      await mine(2);
      expect(await alarms()).toEqual([UNKNOWN]);
    });
  });

  it('is read through the service while the node is silent, and through the node again', async () => {
    const invoice = await shop.create();
    chain.change(() => {
      throw new Error('The node is silent');
    });
    await payer.send([payable(invoice, '0.002')]);
    await payer.mine(FINAL);
    // The look that finds the node silent can fail; the next one uses the service.
    await shop.settle().catch(() => {});
    await shop.settle();
    expect(await statuses(invoice)).toEqual(['complete']);
    expect(logged).toContain('provider_switched');
  });

  it('is refused when the service has another chain', async () => {
    chain.server.change((path, answer) =>
      path === '/block-height/0' ? { status: 200, body: 'ab'.repeat(32) } : answer,
    );
    const connection = createBitcoinConnection('bitcoin', bitcoinConfig());
    await expect(connection.tryToOpen(null)).rejects.toThrow(
      'BTC_RPC_URL and BTC_ESPLORA_URL serve different chains; set both to one chain.',
    );
  });
});
