import { HDKey } from '@scure/bip32';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBitcoinPayer, type BitcoinPayer } from '../../../test/support/bitcoin-chain.ts';
import { createBdkWallet, loadBdk } from '../../../test/support/esplora/bdk.ts';
import {
  openEsploraChain,
  type EsploraChain,
} from '../../../test/support/esplora/esplora-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { Observer } from '../../../test/support/observer.ts';
import { bitcoinNetwork } from '../network.ts';
import { scriptOf } from '../address.ts';

/** Extended keys of Bitcoin's test networks. */
const VERSIONS = { private: 0x04358394, public: 0x043587cf };
const STOP_GAP = 3;
const ONCE_AT_A_TIME = 1;

describeOnLitecoind('a wallet that is not ours, on the stand-in for Esplora', () => {
  let payer: BitcoinPayer;
  let chain: EsploraChain;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
    chain = await openEsploraChain(payer, 'bitcoin');
  });
  afterAll(async () => {
    await chain?.close();
    await payer?.stop();
  });

  it('reads its history there, and pays an invoice through it', async () => {
    const bdk = await loadBdk();
    const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
    const key = HDKey.fromMasterSeed(seed, VERSIONS).privateExtendedKey;
    const genesis = await payer.node.call<string>('getblockhash', 0);
    const wallet = createBdkWallet(bdk, genesis, [
      `wpkh(${key}/84'/1'/0'/0/*)`,
      `wpkh(${key}/84'/1'/0'/1/*)`,
    ]);
    const client = new bdk.EsploraClient(chain.server.url);
    const synchronise = async (): Promise<void> =>
      wallet.apply_update(
        await client.full_scan(wallet.start_full_scan(), STOP_GAP, ONCE_AT_A_TIME),
      );
    const { versions } = bitcoinNetwork('bitcoin', 'regtest');
    const own = wallet.reveal_next_address('external').address.toString();
    const funding = await payer.send([{ script: scriptOf(versions, own), units: 300_000_000n }]);
    await synchronise();
    expect(wallet.balance.untrusted_pending.to_sat()).toBe(300_000_000n);
    await payer.mine(2);
    await synchronise();
    expect(wallet.balance.confirmed.to_sat()).toBe(300_000_000n);
    expect(wallet.transactions().map(({ txid }) => txid.toString())).toEqual([funding]);

    const observer = await Observer.begin(chain);
    const target = await observer.watch();
    const to = bdk.Address.from_string(target.address!, 'regtest');
    const psbt = wallet
      .build_tx()
      .add_recipient(new bdk.Recipient(to, bdk.Amount.from_sat(100_000_000n)))
      .fee_rate(new bdk.FeeRate(5n))
      .finish();
    expect(wallet.sign(psbt)).toBe(true);
    const transaction = psbt.extract_tx();
    await client.broadcast(transaction);
    await observer.look();
    const txid = transaction.compute_txid().toString();
    expect(observer.payments).toMatchObject([{ txid, state: 'mempool', amount: parseAmount('1') }]);
    await payer.mine(1);
    await observer.look();
    await synchronise();
    expect(observer.payments).toMatchObject([{ txid, state: 'block' }]);
    chain.server.change((path, answer) =>
      path === '/fee-estimates' ? { ...answer, body: '{"2":9.5}' } : answer,
    );
    expect((await client.get_fee_estimates()).get(2)).toBe(9.5);
  });
});
