import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnavailableError } from '@crypto-checkout/chains/error';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import type { Signer } from '@crypto-checkout/chains/signer';
import { sql } from 'kysely';
import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { contracts, ethereumAt, payoutAddress } from '../../test/support/ethereum.ts';
import { payoutShop, type PayoutShop } from '../../test/support/payouts.ts';
import {
  buildSigner,
  runSigner,
  signerOutput,
  SignerProcess,
} from '../../test/support/signer-process.ts';
import { approvalRequest } from '../payout/approval/signer-approval.ts';
import { findPayouts } from '../payout/store.ts';
import { approval } from './approval.ts';
import { createRemoteSigner } from './client/remote-signer.ts';
import { findApproval, saveApproval } from './client/stored-approval.ts';
import { watchSigner } from './client/watch.ts';

const SHOP = '0x52908400098527886E0F7030069857D2E4169EE7';

const POLICY = {
  ethereum: {
    fee_per_transaction: '0.01',
    fee_per_day: '0.1',
    payouts: { ETH: { per_transaction: '1', per_day: '3' } },
  },
};

let own: SignerProcess;
let anvil: Anvil;
let shop: PayoutShop;
let approverFile: string;

beforeAll(buildSigner, 180_000);
beforeAll(async () => {
  own = new SignerProcess();
  approverFile = join(own.folder, 'approver.json');
  own.writePolicy(POLICY, [signerOutput('approver-key', approverFile).trim()]);
  await own.start();
  anvil = await startAnvil();
  const token = await deploy(anvil, contracts['Token']!);
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
  const signer: Signer = createRemoteSigner({
    socket: own.socket,
    approvalOf: (id) => findApproval(shop.context.db, id),
  });
  shop = await payoutShop({ chains: ['ethereum'], overrides: { signer } });
  const { sender } = await ethereumAt(anvil.url, token);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
  await shop.fund('ETH', '1000');
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await anvil?.stop();
  own?.close();
});

const eth = (amount: string) =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address: SHOP }] });
const mine = async (): Promise<void> => {
  await anvil.wallet.mine({ blocks: 12 });
  await shop.work();
};
const statusOf = async (id: string): Promise<string> => (await shop.payout(id)).status;
const alarms = async (): Promise<string[]> =>
  (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
    ({ reason }) => reason,
  );

it('public keys alone are what the service needs', () => {
  const file = join(own.folder, 'public.json');
  expect(() => readPublicKeys(file)).toThrow(`PUBLIC_KEYS_FILE: ${file} does not exist.`);
  const text = signerOutput(
    'public-keys',
    '--dir',
    own.dir,
    '--network',
    'testnet',
    '--solana-keys',
    '3',
  );
  writeFileSync(file, text);
  expect(readPublicKeys(file)).toMatchObject({ network: 'testnet' });
  expect(text).not.toMatch(/xprv|mnemonic|abandon/);
});

it('a payout within the policy is signed and arrives', async () => {
  const { id } = await eth('1');
  await shop.work();
  await mine();
  expect(await statusOf(id)).toBe('complete');
});

it('a payout beyond the policy waits with an alarm, holds up nothing, and leaves once approved', async () => {
  const big = await eth('40');
  const small = await eth('0.5');
  await shop.work();
  await mine();
  expect([await statusOf(big.id), await statusOf(small.id)]).toEqual(['new', 'complete']);
  expect(await alarms()).toEqual([
    `Payouts are waiting: The signer refused: 40 ETH to ${SHOP} is beyond the policy and needs an approval (payout ${big.id}; see payouts approval-request)`,
  ]);

  const [view] = await findPayouts(shop.context.db, [big.id]);
  const request = join(own.folder, 'request.json');
  writeFileSync(request, JSON.stringify(approvalRequest(view!, 'testnet')));
  const printed = signerOutput('approve', request, '--key', approverFile, '--fee', '0.01');
  await saveApproval(shop.context.db, big.id, approval.parse(JSON.parse(printed)));
  await shop.work();
  await mine();
  expect(await statusOf(big.id)).toBe('complete');
  expect(await alarms()).toEqual([]);
});

it('a signer that is killed keeps its limits, and signs what it signed once more', async () => {
  const lines = (): string[] => readFileSync(own.log, 'utf8').trim().split('\n');
  const { id } = await eth('1');
  // The answer is lost after the signer logged and signed.
  const { signer } = shop.context;
  shop.context.signer = {
    async sign(request) {
      await signer.sign(request);
      throw new UnavailableError('The signer does not answer');
    },
  };
  await shop.work();
  shop.context.signer = signer;
  const logged = lines().length;
  await own.kill();
  await shop.work();
  expect(await statusOf(id)).toBe('new');
  await own.start();
  await shop.work();
  await mine();
  expect(await statusOf(id)).toBe('complete');
  expect(lines()).toHaveLength(logged);
  // 1, 0.5 and 1 of 3 ETH a day are used.
  const beyond = await eth('0.6');
  await shop.work();
  expect(await statusOf(beyond.id)).toBe('new');
}, 30_000);

it('a policy that changed is in force after SIGHUP, and one with a mistake never', async () => {
  const said = (event: string): Promise<string> =>
    new Promise((resolve) => {
      own.child.stdout!.on('data', (data: Buffer) => {
        const line = data
          .toString()
          .split('\n')
          .find((one) => one.includes(`"${event}"`));
        if (line !== undefined) resolve(line);
      });
    });
  const file = own.policy;
  const before = readFileSync(file, 'utf8');
  const payout = await eth('0.7');
  await shop.work();
  expect(await statusOf(payout.id)).toBe('new');

  for (const mistake of ['{', before.replace('testnet', 'mainnet')]) {
    writeFileSync(file, mistake);
    const refused = said('policy_refused');
    own.child.kill('SIGHUP');
    expect(await refused).toContain('"level":50');
    await shop.work();
    expect(await statusOf(payout.id)).toBe('new');
  }

  const after = before.replace('"per_day":"3"', '"per_day":"9"');
  writeFileSync(file, after);
  const loaded = said('policy_loaded');
  own.child.kill('SIGHUP');
  expect(await loaded).toContain(createHash('sha256').update(after).digest('hex'));
  await shop.work();
  // The payout of the test before waited for the same limit, and leaves first.
  await mine();
  await mine();
  expect(await statusOf(payout.id)).toBe('complete');
});

it('the socket is for the user and the group of the signer, the keys for the user alone', () => {
  expect((statSync(own.socket).mode & 0o777).toString(8)).toBe('660');
  expect((statSync(approverFile).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(own.log).mode & 0o777).toString(8)).toBe('600');
});

it('a second signer on the same socket does not start', () => {
  const { status, stderr } = runSigner('serve', '--dir', own.dir, '--socket', own.socket);
  expect(status).toBe(1);
  expect(stderr).toContain('Another signer listens on');
});

it('a signer that refuses or is gone fills no log, and is missed with one alarm', async () => {
  const lines: string[] = [];
  own.child.stdout!.on('data', (data: Buffer) => void lines.push(data.toString()));
  const warned = vi.spyOn(shop.context.log, 'warn');
  const failures = (): number =>
    warned.mock.calls.filter(([line]) => JSON.stringify(line).includes('payout_attempt_failed'))
      .length;
  const refused = await eth('50');
  for (let round = 0; round < 3; round += 1) await shop.work();
  await vi.waitFor(() => expect(lines.join('')).toContain(refused.id));
  expect(lines.join('').match(/signing_refused/g)).toHaveLength(1);

  const watch = watchSigner(shop.context);
  await watch();
  expect((await alarms()).join()).not.toContain('does not answer');
  await own.kill();
  for (let round = 0; round < 3; round += 1) {
    await shop.work();
    await watch();
  }
  expect(failures()).toBe(1);
  expect((await alarms()).filter((reason) => reason.includes('does not answer'))).toEqual([
    'The signer process does not answer on SIGNER_URL: payouts and sweeps wait until it does (nothing listens there)',
  ]);
  await own.start();
  await watch();
  expect((await alarms()).join()).not.toContain('does not answer');
}, 30_000);
