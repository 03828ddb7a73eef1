import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import type { BitcoinPlan } from '@crypto-checkout/chains/sender';
import type { Signer } from '@crypto-checkout/chains/signer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  startBitcoinPayer,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { Money } from '../../test/support/money.ts';
import { buildSigner, runSigner, SignerProcess } from '../../test/support/signer-process.ts';
import { unspentCoins } from '../engine/coin-store.ts';
import { WATCH_ONLY } from '../engine/open-keys.ts';
import { discardUnsigned, listUnsigned, saveSignature } from '../engine/sending/unsigned.ts';
import { decidePayout } from '../payout/approval/decide.ts';
import { requestReplacement } from '../payout/sending/replace.ts';
import { consolidateCoins } from '../sweep/consolidate-coins.ts';
import { createRemoteSigner } from './client/remote-signer.ts';
import { signedFile, type SignedFile } from './unsigned-file.ts';

/** Litecoin signs as Bitcoin does. */
const CHAINS: readonly UtxoChainId[] = ['bitcoin', 'dogecoin'];

describeOnLitecoind('keys of a Bitcoin-like chain elsewhere', () => {
  let payer: BitcoinPayer;
  let own: SignerProcess;
  let money: Money;
  let changeAnswers: BitcoinChain['change'];

  beforeAll(buildSigner, 180_000);
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  }, 60_000);
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    own = new SignerProcess();
    const policyOf = (kind: string) => ({
      fee_per_transaction: '0.1',
      fee_per_day: '1',
      payouts: { [kind]: { per_transaction: '1', per_day: '2' } },
    });
    own.writePolicy({
      bitcoin: policyOf('BTC'),
      litecoin: policyOf('LTC'),
      dogecoin: policyOf('DOGE'),
    });
    await own.start();
  }, 30_000);
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
    own.close();
  });

  const open = async (chain: UtxoChainId, signer: Signer): Promise<void> => {
    money = new Money(await startBitcoinMoney(payer, chain, signer));
  };
  const remote = (change: (plan: BitcoinPlan) => BitcoinPlan = (plan) => plan): Signer => {
    const signer = createRemoteSigner({ socket: own.socket, approvalOf: async () => null });
    return {
      sign: (request) => signer.sign({ ...request, plan: change(request.plan as BitcoinPlan) }),
    };
  };
  const alarms = async (): Promise<string[]> =>
    (
      await sql<{ reason: string }>`select reason from alarm`.execute(money.shop.context.db)
    ).rows.map(({ reason }) => reason);
  const statusOf = async (id: string): Promise<string> => (await money.shop.payout(id)).status;

  it.each(CHAINS)(
    'the signer process pays out %s within its policy',
    async (chain) => {
      await open(chain, remote());
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient, '1');
      const beyond = await money.payOut(recipient, '1.1');
      await money.work();
      await money.work(money.final);
      await money.work();
      expect(await statusOf(id)).toBe('complete');
      expect(await statusOf(beyond.id)).toBe('new');
      expect(await money.chain.held(recipient)).toBe(parseAmount('1'));
      expect(await alarms()).toEqual([
        expect.stringMatching(/1.1 \w+ to \w+ is beyond the policy and needs an approval/),
      ]);
    },
    120_000,
  );

  it('the signer process signs a higher fee for the same recipients', async () => {
    await open('dogecoin', remote());
    const recipient = money.chain.stranger();
    const { id } = await money.payOut(recipient, '1');
    await money.work();
    const { accountId, context } = money.shop;
    await requestReplacement(context, { accountId, username: 'operator' }, id, 'bump');
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await statusOf(id)).toBe('complete');
    expect(await money.chain.held(recipient)).toBe(parseAmount('1'));
    const { rows } = await sql<{ raw: string | null }>`
      select raw from outgoing_attempt`.execute(money.shop.context.db);
    expect(rows.map(({ raw }) => raw !== null)).toEqual([true, true]);
  }, 120_000);

  /** Coins of which seven are joined, with the five of the wallet; ten stay as they are. */
  async function openSmallCoins(chain: UtxoChainId): Promise<() => Promise<void>> {
    const opened = await startBitcoinMoney(payer, chain, remote());
    money = new Money(opened);
    changeAnswers = opened.change;
    const { context } = money.shop;
    const rates = { bitcoin: 4, litecoin: 4, dogecoin: 1_000 };
    Object.assign(context.config, { consolidateCoins: 7, consolidateRates: rates });
    const { fundingAddress: address = null } = context.senders.get(chain)!;
    const target = { ...(await money.chain.target()), address };
    await money.chain.payEach(
      Array.from({ length: 12 }, () => target),
      parseAmount('1'),
    );
    await money.mine(1);
    return () => consolidateCoins(context, new AbortController().signal);
  }

  /** The joined coins are one output of this wallet, with this number of attempts. */
  async function requireJoined(chain: UtxoChainId, count: number): Promise<void> {
    const { db } = money.shop.context;
    const { rows } = await sql<{ status: string; inputs: number; outputs: number }>`
      select c.status, jsonb_array_length(t.plan -> 'inputs') as inputs, jsonb_array_length(t.plan -> 'outputs') as outputs
      from coin_consolidation c join outgoing_attempt t on t.outgoing_id = c.id`.execute(db);
    expect(rows).toEqual(
      Array.from({ length: count }, () => ({ status: 'complete', inputs: 7, outputs: 0 })),
    );
    expect(await unspentCoins(db, chain)).toHaveLength(11);
    expect(await alarms()).toEqual([]);
  }

  it.each(CHAINS)(
    'the signer process joins small coins of %s to an address of its keys',
    async (chain) => {
      const consolidate = await openSmallCoins(chain);
      await consolidate();
      await money.mine(money.final);
      await consolidate();
      await requireJoined(chain, 1);
    },
    120_000,
  );

  it('the signer process signs a higher fee for joined coins, also after a restart', async () => {
    const consolidate = await openSmallCoins('bitcoin');
    await consolidate();
    const { context } = money.shop;
    const before = await payer.node.call<string[]>('getrawmempool');
    changeAnswers((call, answer) =>
      call.method === 'estimatesmartfee' ? { result: { feerate: 0.0001, blocks: 24 } } : answer,
    );
    context.clock.advance(6 * 3_600_000 + 60_000);
    await own.kill();
    await consolidate();
    expect(await payer.node.call('getrawmempool')).toEqual(before);
    await own.start();
    await consolidate();
    await consolidate();
    const after = await payer.node.call<string[]>('getrawmempool');
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    await money.mine(money.final);
    await consolidate();
    await requireJoined('bitcoin', 2);
  }, 120_000);

  it('a gateway that lies about an amount of Dogecoin gets no signature', async () => {
    const lie = (plan: BitcoinPlan): BitcoinPlan => ({
      ...plan,
      inputs: plan.inputs.map((input) => ({ ...input, units: '150000000' })),
      change: null,
    });
    await open('dogecoin', remote(lie));
    const { id } = await money.payOut(money.chain.stranger(), '1');
    await money.work();
    expect(await statusOf(id)).toBe('new');
    expect(await alarms()).toEqual([
      expect.stringMatching(/is not the amount and address that the plan says/),
    ]);
    expect(await payer.node.call('getrawmempool')).toEqual([]);
  }, 120_000);

  it.each(CHAINS)(
    'without private keys, payouts of %s are signed on another machine',
    async (chain) => {
      await open(chain, WATCH_ONLY);
      const recipients = [money.chain.stranger(), money.chain.stranger()];
      const ids = [
        (await money.payOut(recipients[0]!, '1.5')).id,
        (await money.payOut(recipients[1]!, '0.5')).id,
      ];
      await money.work();
      await money.work();
      const { signed, words: shown } = signOffline(await exported());
      const { kind } = money.chain;
      expect(shown).toMatch(
        new RegExp(
          `payout [-0-9a-f]+: 1.5 ${kind} to ${recipients[0]}, 0.5 ${kind} to ${recipients[1]} on \\w+, change of`,
        ),
      );
      for (const { id, ...transaction } of signed)
        expect(await saveSignature(money.shop.context.db, id, transaction)).toBe('stored');
      await money.work();
      await money.work(money.final);
      await money.work();
      for (const id of ids) expect(await statusOf(id)).toBe('complete');
      expect(await money.chain.held(recipients[0]!)).toBe(parseAmount('1.5'));
      expect(await money.chain.held(recipients[1]!)).toBe(parseAmount('0.5'));
    },
    120_000,
  );

  it('payouts of a transaction that was never signed are planned anew, or rejected', async () => {
    await open('bitcoin', WATCH_ONLY);
    const { context, accountId } = money.shop;
    const approver = { accountId, username: 'ops', email: null };
    const kept = await money.payOut(money.chain.stranger(), '0.5');
    const rejected = await money.payOut(money.chain.stranger(), '0.7');
    await money.work();
    const [common, ...others] = await listUnsigned(context.db);
    expect(others).toEqual([]);
    const reject = () => decidePayout(context, approver, rejected.id, { approve: false });
    context.clock.advance(601_000);
    await expect(reject()).rejects.toMatchObject({ reason: 'InvalidState' });
    await discardUnsigned(context.db, common!.id);
    await reject();
    await money.work();
    const [alone] = await listUnsigned(context.db);
    expect(alone).toMatchObject({ id: kept.id, plan: { outputs: [{ units: '50000000' }] } });
    expect(await statusOf(rejected.id)).toBe('rejected');
  }, 120_000);

  async function exported(): Promise<string> {
    const file = join(own.folder, 'unsigned.json');
    const transactions = await listUnsigned(money.shop.context.db);
    writeFileSync(file, JSON.stringify({ version: 1, network: 'testnet', transactions }));
    return file;
  }

  function signOffline(file: string): { signed: SignedFile['signed']; words: string } {
    const offline = join(own.folder, 'offline');
    mkdirSync(offline, { recursive: true, mode: 0o700 });
    // The log of the folder is kept.
    for (const name of ['keys.json', 'policy.json', 'signed.log'])
      spawnSync('cp', ['-n', join(own.dir, name), join(offline, name)]);
    const { status, stdout, stderr } = runSigner('sign', file, '--dir', offline, '--yes');
    expect(status, stderr).toBe(0);
    return { signed: signedFile.parse(JSON.parse(stdout)).signed, words: stderr };
  }
});
