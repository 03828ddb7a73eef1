import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { createSigner, type Signer } from '@crypto-checkout/chains/signer';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { parseEther, type Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttackedSigner, keysOn } from '../../test/support/attacked-signer.ts';
import { payoutAddress, words } from '../../test/support/ethereum.ts';
import { ethereumShop, type EthereumShop } from '../../test/support/ethereum-shop.ts';
import { WATCH_ONLY } from '../engine/open-keys.ts';
import { listUnsigned, saveSignature } from '../engine/sending/unsigned.ts';
import { createRemoteSigner } from './client/remote-signer.ts';
import { readUnsigned, signOffline } from './offline.ts';
import { parsePolicy } from './policy.ts';
import { newSignedLog } from '../../test/support/new-signed-log.ts';

// The same payment, sweep and payout in each mode of KEYS_MODE.

const SHOP: Address = '0x52908400098527886E0F7030069857D2E4169EE7';
const seed = mnemonicToSeedSync(words);
const POLICY = {
  network: 'testnet' as const,
  chains: {
    ethereum: {
      fee_per_transaction: '0.01',
      fee_per_day: '0.1',
      payouts: { ETH: { per_transaction: '1', per_day: '3' } },
    },
  },
};

describe.each(['local', 'watch', 'signer'] as const)('with the keys in the mode %s', (mode) => {
  let ethereum: EthereumShop;
  let signer: AttackedSigner;

  beforeEach(async () => {
    signer = new AttackedSigner();
    await signer.start(POLICY);
    ethereum = await ethereumShop();
    ethereum.shop.context.signer = signerOf();
  }, 60_000);
  afterEach(async () => {
    await ethereum?.close();
    await signer.close();
  });

  function signerOf(): Signer {
    if (mode === 'local') return createSigner(seed);
    if (mode === 'watch') return WATCH_ONLY;
    return createRemoteSigner({ socket: signer.socket, approvalOf: async () => null });
  }

  /** Signs elsewhere what waits for it, as an operator does. */
  async function handBack(): Promise<void> {
    const { db } = ethereum.shop.context;
    const transactions = await listUnsigned(db);
    expect(transactions.length > 0).toBe(mode === 'watch');
    const policy = parsePolicy('policy.json', JSON.stringify(POLICY));
    const text = JSON.stringify({ version: 1, network: 'testnet', transactions });
    const requests = readUnsigned('unsigned.json', text, policy);
    const log = newSignedLog(join(signer.folder, 'offline.log'));
    const state = { policy, keys: keysOn('testnet'), log, now: Date.now() };
    for (const { id, ...signed } of (await signOffline(seed, requests, state)).signed)
      expect(await saveSignature(db, id, signed)).toBe('stored');
  }

  it('a payment arrives, is swept, and is paid out, each once', async () => {
    const { shop, anvil, mine } = ethereum;
    const { address } = await shop.create({ kind: 'ETH', amount: undefined });
    const payment = { to: address as Address, value: parseEther('2'), gas: 21_000n };
    await anvil.wallet.sendTransaction(payment);
    await mine();
    shop.context.clock.advance(600_000);
    await shop.sweep();
    await handBack();
    await shop.sweep();
    await mine();
    await shop.sweep();
    expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
    const swept = await anvil.wallet.getBalance({ address: payoutAddress });
    expect(swept).toBeGreaterThan(parseEther('1.99'));

    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '1', currency: 'ETH', address: SHOP }],
    });
    await shop.work();
    await handBack();
    await shop.work();
    await mine();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await anvil.wallet.getBalance({ address: SHOP })).toBe(parseAmount('1'));
    // Nothing is sent twice: the payout address has used one number.
    expect(await anvil.wallet.getTransactionCount({ address: payoutAddress })).toBe(1);
  }, 60_000);
});
