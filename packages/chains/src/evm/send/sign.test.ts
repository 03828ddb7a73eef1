import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { parseTransaction } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { EvmPlan, SandboxPlan, SendPlan, SignedTransaction } from '../../sender.ts';
import { isSignedPlan, signEvm } from './sign.ts';
import { createSigner } from '../../signer.ts';

// Published test words without funds.
const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
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

describe('signEvm', () => {
  it('returns the same bytes as two other implementations', () => {
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
    if (changed.memo !== null)
      expect(read.data).toContain(hex.encode(new TextEncoder().encode(changed.memo)));
  });
});

describe('createSigner', () => {
  const sign = (signed: SendPlan): Promise<SignedTransaction> =>
    createSigner(seed).sign({ id: 'p', purpose: 'payout', plan: signed });

  it('signs a plan deterministically', async () => {
    expect(await sign(plan)).toEqual(signEvm(plan, key));
    expect(await sign({ ...plan })).toEqual(await sign(plan));
  });

  it('rejects a plan for an address of another seed', async () => {
    await expect(sign({ ...plan, from: { ...plan.from, index: 1 } })).rejects.toThrow(
      'No key of this wallet derives the address',
    );
  });

  it('formats the id of a simulated transaction like its chain', async () => {
    const sandbox: SandboxPlan = {
      family: 'sandbox',
      chain: 'ethereum',
      reference: 'r',
      outputs: [],
      fee: '0',
    };
    expect((await sign(sandbox)).txid).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await sign({ ...sandbox, chain: 'xrp' })).txid).toMatch(/^[0-9A-F]{64}$/);
    expect((await sign({ ...sandbox, chain: 'solana' })).txid).toMatch(
      /^[1-9A-HJ-NP-Za-km-z]{80,90}$/,
    );
    const other = await sign({ ...sandbox, reference: 's' });
    expect(other.txid).not.toBe((await sign(sandbox)).txid);
  });
});

describe('isSignedPlan', () => {
  const signed = signEvm(plan, key);
  const otherKey = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0/1").privateKey!;

  it('accepts the plan that its sender signed', () => {
    expect(isSignedPlan(plan, signed)).toBe(true);
    const long = { ...plan, memo: 'm'.repeat(300) };
    expect(isSignedPlan(long, signEvm(long, key))).toBe(true);
  });

  it.each([
    ['another recipient', signEvm({ ...plan, to: `0x${'12'.repeat(20)}` }, key)],
    ['another amount', signEvm({ ...plan, units: '1' }, key)],
    ['another nonce', signEvm({ ...plan, nonce: plan.nonce + 1 }, key)],
    ['a higher fee', signEvm({ ...plan, maxFeePerGas: `${plan.maxFeePerGas}0` }, key)],
    ['another signer', signEvm(plan, otherKey)],
    ['another txid', { ...signed, txid: `0x${'00'.repeat(32)}` }],
    ['more bytes', { ...signed, raw: `${signed.raw}00` }],
    ['fewer bytes', { ...signed, raw: signed.raw.slice(0, -2) }],
    ['no bytes', { ...signed, raw: '0x02' }],
    ['text', { ...signed, raw: 'signed' }],
  ])('refuses %s', (_, answer) => {
    expect(isSignedPlan(plan, answer)).toBe(false);
  });
});
