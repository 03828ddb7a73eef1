import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicKeysText } from '@crypto-checkout/chains/public-keys-file';
import type { BitcoinPlan } from '@crypto-checkout/chains/sender';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  keys,
  startBitcoinPayer,
  wifAt,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { Money } from '../../test/support/money.ts';
import { createProgram } from '../cli/program.ts';
import { WATCH_ONLY } from '../engine/open-keys.ts';
import { listUnsigned } from '../engine/sending/unsigned.ts';

interface DecodedPsbt {
  inputs: {
    redeem_script?: { type: string };
    bip32_derivs: { master_fingerprint: string; path: string }[];
  }[];
  outputs: { bip32_derivs?: { path: string }[] }[];
  fee: number;
}

describeOnLitecoind('a payout as a PSBT', () => {
  let payer: BitcoinPayer;
  let money: Money;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'psbt-'));
    payer = await startBitcoinPayer();
    await payer.node.call('createwallet', 'elsewhere');
    money = new Money(await startBitcoinMoney(payer, 'bitcoin', WATCH_ONLY));
    const publicKeysFile = join(folder, 'public.json');
    writeFileSync(publicKeysFile, await publicKeysText(keys, 1));
    Object.assign(money.shop.context.config, { publicKeysFile });
  }, 60_000);
  afterAll(async () => {
    await money?.shop.close();
    await money?.chain.close();
    await payer?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a command of the gateway; returns its output. */
  async function run(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const program = createProgram({
      config: () => money.shop.context.config,
      open: async () => ({ context: money.shop.context, close: async () => {} }),
      out: (line) => void lines.push(line),
      note: () => {},
      input: () => Buffer.alloc(0),
      progress: () => {},
      resolve: async () => [],
    });
    await program.parseAsync(['unsigned', ...args], { from: 'user' });
    return lines.join('\n');
  }

  it('names the paths of its keys, is signed by another wallet, and arrives', async () => {
    const recipient = money.chain.stranger();
    const { id } = await money.payOut(recipient, '2.5');
    await money.work();
    const psbt = await run('psbt', id);
    const decoded = await payer.node.call<DecodedPsbt>('decodepsbt', psbt);
    const { plan } = (await listUnsigned(money.shop.context.db))[0]! as { plan: BitcoinPlan };
    expect(decoded.inputs.map(({ bip32_derivs: [key] }) => key)).toEqual(
      plan.inputs.map(({ branch, index }) =>
        expect.objectContaining({
          master_fingerprint: '73c5da0a',
          path: `m/84'/1'/0'/${branch}/${index}`,
        }),
      ),
    );
    expect(decoded.outputs.map(({ bip32_derivs: known }) => known?.[0]?.path)).toEqual([
      undefined,
      `m/84'/1'/0'/1/${plan.change!.index}`,
    ]);
    await importSigned(
      id,
      psbt,
      plan.inputs.map((input) => wifAt(input)),
    );
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    expect(await money.chain.held(recipient)).toBe(parseAmount('2.5'));
  }, 120_000);

  /** Signs with these keys in the node's own wallet. */
  async function importSigned(id: string, psbt: string, wifs: readonly string[]): Promise<void> {
    for (const wif of wifs) await payer.node.call('importprivkey', wif, '', false);
    const signed = await payer.node.call<{ psbt: string; complete: boolean }>(
      'walletprocesspsbt',
      psbt,
    );
    expect(signed.complete).toBe(true);
    const file = join(folder, 'signed.psbt');
    writeFileSync(file, `${signed.psbt}\n`);
    await run('import-psbt', id, file);
  }

  it('spends what came to P2SH addresses, which another wallet signs too', async () => {
    const invoice = await money.shop.create({ kind: 'BTC_P2SH', amount: '4', currency: 'BTC' });
    await money.pay(invoice, '4');
    await money.mine(money.final);
    const recipient = money.chain.stranger();
    // Only the new coin is enough alone.
    const { id } = await money.payOut(recipient, '3.5');
    await money.work();
    const psbt = await run('psbt', id);
    const { plan } = (await listUnsigned(money.shop.context.db))[0]! as { plan: BitcoinPlan };
    expect(plan.inputs).toMatchObject([{ address: invoice.address, units: '400000000' }]);
    const [input] = (await payer.node.call<DecodedPsbt>('decodepsbt', psbt)).inputs;
    expect(input).toMatchObject({
      redeem_script: { type: 'witness_v0_keyhash' },
      bip32_derivs: [{ path: `m/49'/1'/0'/0/${plan.inputs[0]!.index}` }],
    });
    await importSigned(
      id,
      psbt,
      plan.inputs.map((one) => wifAt(one, 49)),
    );
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    expect(await money.chain.held(recipient)).toBe(parseAmount('3.5'));
  }, 120_000);

  it('is refused without its signatures, and for another payout', async () => {
    const { id } = await money.payOut(money.chain.stranger(), '0.5');
    await money.work();
    const file = join(folder, 'unsigned.psbt');
    writeFileSync(file, await run('psbt', id));
    await expect(run('import-psbt', id, file)).rejects.toThrow(
      'must be a PSBT with a signature for each input.',
    );
    await expect(run('import-psbt', id, join(folder, 'signed.psbt'))).rejects.toThrow(
      `The signed transaction of ${id} is not the plan that was exported.`,
    );
    await expect(run('psbt', 'nothing')).rejects.toThrow(
      'No transaction nothing of Bitcoin, Litecoin or Dogecoin waits for a signature.',
    );
  }, 60_000);
});
