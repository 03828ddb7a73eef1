import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { formatEther, parseEther, type Address } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { contracts, ethereumAt, payoutAddress } from '../../test/support/ethereum.ts';
import { ADDRESS } from '../../test/support/payouts.ts';
import { buildSigner, runSigner, SignerProcess } from '../../test/support/signer-process.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { WATCH_ONLY } from '../engine/open-keys.ts';
import { discardUnsigned, listUnsigned, saveSignature } from '../engine/sending/unsigned.ts';
import { signedFile, type SignedFile } from './unsigned-file.ts';

// A service without private keys: its transactions are exported, signed by the offline signer's own
// command, and handed back.

const SHOP = ADDRESS.ETH;

let own: SignerProcess;
let anvil: Anvil;
let shop: SweepShop;

beforeAll(buildSigner, 180_000);
beforeEach(async () => {
  own = new SignerProcess();
  own.writePolicy({ ethereum: { fee_per_transaction: '0.01', fee_per_day: '0.1' } });
  anvil = await startAnvil();
  const token = await deploy(anvil, contracts['Token']!);
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
  shop = await sweepShop({ chains: ['ethereum'], overrides: { signer: WATCH_ONLY } });
  const { adapter, sender } = await ethereumAt(anvil.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
  await shop.fund('ETH', '100');
}, 30_000);
afterEach(async () => {
  await shop?.close();
  await anvil?.stop();
  own?.close();
});

async function exported(change: (text: string) => string = (text) => text): Promise<string> {
  const file = join(own.folder, 'unsigned.json');
  const transactions = await listUnsigned(shop.context.db);
  const text = JSON.stringify({ version: 1, network: 'testnet', transactions });
  writeFileSync(file, change(text));
  return file;
}

const sign = (file: string, ...more: string[]) =>
  runSigner('sign', file, '--dir', own.dir, ...more);

function signed(file: string): SignedFile['signed'] {
  const { status, stdout, stderr } = sign(file, '--yes');
  expect(status, stderr).toBe(0);
  return signedFile.parse(JSON.parse(stdout)).signed;
}

async function store(transactions: SignedFile['signed']): Promise<string[]> {
  const results: string[] = [];
  for (const { id, ...transaction } of transactions)
    results.push(await saveSignature(shop.context.db, id, transaction));
  return results;
}

const eth = (amount: string) =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address: SHOP }] });
const arrived = async (): Promise<string> =>
  formatEther(await anvil.wallet.getBalance({ address: SHOP }));
const mineAndWork = async (): Promise<void> => {
  await anvil.wallet.mine({ blocks: 12 });
  await shop.work();
};

describe('a payout of a service without private keys', () => {
  it('waits for its signature, with an alarm, and arrives once', async () => {
    const { id } = await eth('40');
    await shop.work();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    const alarms = await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db);
    expect(alarms.rows.map(({ reason }) => reason)).toEqual([
      'Payouts are waiting: Transactions wait for their signatures (KEYS_MODE=watch): see crypto-checkout-gateway unsigned',
    ]);
    const file = await exported();
    const first = signed(file);
    // The same file, and the same plan, give the same bytes.
    expect(signed(file)).toEqual(first);
    expect(await store(first)).toEqual(['stored']);
    expect(await store(first)).toEqual(['known']);
    expect(await listUnsigned(shop.context.db)).toEqual([]);
    await shop.work();
    await mineAndWork();
    expect((await shop.payout(id)).status).toBe('complete');
    const open = await sql`select reason from alarm`.execute(shop.context.db);
    expect(open.rows).toEqual([]);
    expect(await arrived()).toBe('40');
  });

  it('is shown in words, and is not signed without a yes', async () => {
    const { id } = await eth('40');
    await shop.work();
    const { status, stdout, stderr } = sign(await exported());
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(
      `payout ${id}: 40 ETH on Ethereum (ERC20) from ${payoutAddress} to ${SHOP}, number 0, fee at most`,
    );
    expect(stderr).toContain('There is no terminal to ask on');
  });

  it('is forgotten when it was never signed, and can then be rejected or is planned anew', async () => {
    const { id } = await eth('1');
    await shop.work();
    const before = await listUnsigned(shop.context.db);
    await discardUnsigned(shop.context.db, id);
    expect(await listUnsigned(shop.context.db)).toEqual([]);
    await shop.work();
    expect(await listUnsigned(shop.context.db)).toMatchObject([
      { id, plan: { nonce: (before[0]!.plan as { nonce: number }).nonce } },
    ]);
    const [transaction] = signed(await exported());
    await store([transaction!]);
    await expect(discardUnsigned(shop.context.db, id)).rejects.toMatchObject({
      message: `The transaction ${id} is signed and will be sent.`,
    });
  });
});

it('a sweep waits for its signature as long as that takes, and arrives', async () => {
  await shop.settle();
  const { address } = await shop.create({ kind: 'ETH', amount: undefined });
  const payment = { to: address as Address, value: parseEther('2'), gas: 21_000n };
  await anvil.wallet.sendTransaction(payment);
  await anvil.wallet.mine({ blocks: 12 });
  await shop.settle();
  shop.context.clock.advance(600_000);
  await shop.sweep();
  // Longer than a sweep waits for anything else.
  shop.context.clock.advance(2 * 3_600_000);
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'sending' }]);
  const alarms = sql<{ reason: string }>`
    select reason from alarm where starts_with(reason, 'A sweep waits')`;
  expect((await alarms.execute(shop.context.db)).rows).toEqual([
    {
      reason:
        'A sweep waits: Transactions wait for their signatures (KEYS_MODE=watch): see crypto-checkout-gateway unsigned',
    },
  ]);
  expect(await store(signed(await exported()))).toEqual(['stored']);
  await shop.sweep();
  expect((await alarms.execute(shop.context.db)).rows).toEqual([]);
  await anvil.wallet.mine({ blocks: 12 });
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
});

describe('a file that was changed on its way', () => {
  it('gives bytes that the service does not send', async () => {
    const { id } = await eth('1');
    await shop.work();
    const thief = '0x1111111111111111111111111111111111111111';
    const [transaction] = signed(await exported((text) => text.replaceAll(SHOP, thief)));
    await expect(store([transaction!])).rejects.toMatchObject({
      message: `The signed transaction of ${id} is not the plan that was exported.`,
    });
    await mineAndWork();
    expect(await arrived()).toBe('0');
    // And the signer does not sign the id again for another recipient.
    const { status, stderr } = sign(await exported(), '--yes');
    expect(status).toBe(1);
    expect(stderr).toContain(
      `${id}: The signer refused: ${id} was signed before, with another recipient, amount or number`,
    );
  });

  it.each([
    ['no JSON', () => '{', 'is not the output of `crypto-checkout-gateway unsigned export`'],
    [
      'unknown members',
      (text: string) => text.replace('"memo"', '"note":"x","memo"'),
      'is not the output of `crypto-checkout-gateway unsigned export`',
    ],
    [
      'another network',
      (text: string) => text.replace('"testnet"', '"mainnet"'),
      'is for the mainnet, but policy.json is for the testnet',
    ],
    [
      'a huge fee',
      (text: string) => text.replace(/"maxFeePerGas":"\d+"/, '"maxFeePerGas":"9000000000000"'),
      'is above fee_per_transaction, 0.01',
    ],
  ])('is refused with one sentence: %s', async (_, change, sentence) => {
    await eth('1');
    await shop.work();
    const { status, stdout, stderr } = sign(await exported(change), '--yes');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
  });
});

it('a signer without keys or a policy says what is missing', () => {
  const file = join(own.folder, 'unsigned.json');
  writeFileSync(file, '{}');
  rmSync(own.policy);
  expect(sign(file).stderr).toContain('policy.json does not exist');
  rmSync(join(own.dir, 'keys.json'));
  expect(sign(file).stderr).toContain('has no keys.json');
  expect(() => readFileSync(join(own.dir, 'keys.json'))).toThrow('ENOENT');
});
