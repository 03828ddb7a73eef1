import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { parseTransaction } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { EvmPlan, SandboxPlan } from './sender.ts';
import { signEvm } from './sign-evm.ts';
import { createSigner } from './signer.ts';

// Published test words; nothing but tests has them.
const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const seed = mnemonicToSeedSync(words);
const key = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0/0").privateKey!;
const account = mnemonicToAccount(words);

const plan: EvmPlan = {
  family: 'evm',
  chainId: 8453,
  from: { branch: 0, index: 0, address: account.address },
  nonce: 5,
  to: '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
  token: null,
  units: '100000000000000000',
  memo: null,
  gasLimit: '21000',
  maxFeePerGas: '30000000000',
  maxPriorityFeePerGas: '1000000000',
};

describe('an EVM transaction', () => {
  it('is signed as two other implementations sign it', () => {
    expect(signEvm(plan, key)).toEqual({
      raw: '0x02f87582210505843b9aca008506fc23ac00825208946fac4d18c912343bf86fa7049364dd4e424ab9c088016345785d8a000080c001a017a2ba4bfcc9bdef2d176633780dafd647e28e29e81f35a0a3350134018c5810a0012da2ff6af10f33502b61d4b40637bcbb1cff9aa00e7d0176588c145604fecd',
      txid: '0x387a2e9e74f6b160f8f01cf0a04a208cc0867060f1f813c0f3126f4af2f5953d',
    });
  });

  it.each([
    ['without a number', { nonce: 0 }],
    ['of a token', { token: '0xdAC17F958D2ee523a2206206994597C13D831ec7', units: '25000000' }],
    ['with a message', { memo: 'Grüße, order 1' }],
    ['with a long message', { memo: 'x'.repeat(300) }],
    ['of nothing but a message', { units: '0', memo: 'hi' }],
  ] satisfies [string, Partial<EvmPlan>][])('%s is the same as viem’s', async (_, change) => {
    const changed = { ...plan, ...change };
    const { raw } = signEvm(changed, key);
    const read = parseTransaction(raw as `0x${string}`);
    const again = await account.signTransaction({
      type: 'eip1559',
      chainId: changed.chainId,
      nonce: changed.nonce,
      to: read.to!,
      value: read.value ?? 0n,
      data: read.data ?? '0x',
      gas: BigInt(changed.gasLimit),
      maxFeePerGas: BigInt(changed.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(changed.maxPriorityFeePerGas),
    });
    expect(raw).toBe(again);
    if (changed.token !== null) expect(read.data).toContain(changed.to.slice(2).toLowerCase());
    if (changed.memo !== null) expect(read.data).toContain(hex.encode(new TextEncoder().encode(changed.memo)));
  });
});

describe('the signer', () => {
  const signer = createSigner(seed);

  it('signs what the plan says, always with the same bytes', async () => {
    expect(await signer.sign(plan)).toEqual(signEvm(plan, key));
    expect(await signer.sign({ ...plan })).toEqual(await signer.sign(plan));
  });

  it('refuses a plan for an address that is not its own', async () => {
    await expect(signer.sign({ ...plan, from: { ...plan.from, index: 1 } })).rejects.toThrow('is not one of our keys');
  });

  it('names a simulated transaction as its chain does', async () => {
    const sandbox: SandboxPlan = { family: 'sandbox', chain: 'ethereum', reference: 'r', outputs: [], fee: '0' };
    expect((await signer.sign(sandbox)).txid).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await signer.sign({ ...sandbox, chain: 'xrp' })).txid).toMatch(/^[0-9A-F]{64}$/);
    expect((await signer.sign({ ...sandbox, chain: 'solana' })).txid).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
    const other = await signer.sign({ ...sandbox, reference: 's' });
    expect(other.txid).not.toBe((await signer.sign(sandbox)).txid);
  });
});
