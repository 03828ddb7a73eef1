import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainSender, LightningPlan } from '@crypto-checkout/chains/sender';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { createClnPayer } from '@crypto-checkout/chains/lightning/cln/payer';
import { createLndPayer, type LndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLightningSender } from '@crypto-checkout/chains/lightning/sender';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../chains/test/support/lightning/lightning-network.ts';
import { startClnChain } from '../../../chains/test/support/lightning/cln-chain.ts';
import type { ClnServer } from '../../../chains/test/support/lightning/cln-server.ts';
import { SENDING, startLndChain } from '../../../chains/test/support/lightning/lnd-chain.ts';
import { createBakery } from '../../../chains/test/support/lightning/macaroon.ts';
import type { ContractChain } from '../../../chains/test/contract.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import {
  createInvoice,
  createPayout,
  resultOf,
  statusOf as statusIn,
  type ShownInvoice,
} from '../../test/support/lightning-shop.ts';
import { startService } from '../../test/support/running-gateway.ts';
import { testClock } from '../../test/support/context.ts';
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
import { lightningNodeOf } from './lightning-node.ts';
import { createRemotePayer, createRemoteSigner } from './client/remote-signer.ts';
import { findApproval, saveApproval } from './client/stored-approval.ts';

const POLICY = {
  lightning: {
    fee_per_transaction: '0.0001',
    fee_per_day: '0.001',
    payouts: { BTC_LIGHTNING: { per_transaction: '0.01', per_day: '0.05' } },
  },
};

/** A node with one of the interfaces: credentials for the gateway and for the signer. */
interface TestNode {
  chain: Pick<ContractChain, 'open' | 'close'>;
  /** As the gateway has it: the credential that receives. */
  payer: LndPayer;
  gateway: Record<string, string>;
  signer: Record<string, string>;
  /** The answer to the next payment is lost. */
  hangUpOnPayment(): void;
  /** Of Core Lightning alone. */
  cln?: ClnServer;
}

async function startLnd(network: LightningNetwork): Promise<TestNode> {
  const chain = await startLndChain(network);
  const node = { LND_URL: chain.server.url, LND_CERT: chain.certificateFile };
  return {
    chain,
    payer: createLndPayer(chain.rest()),
    gateway: { ...node, LND_MACAROON: chain.receivingMacaroon },
    signer: { ...node, LND_SEND_MACAROON: chain.sendingMacaroon },
    hangUpOnPayment: () => chain.server.hangUpOnPayment(),
  };
}

async function startCln(network: LightningNetwork): Promise<TestNode> {
  const chain = await startClnChain(network);
  const node = { CLN_URL: chain.server.url, CLN_CERT: chain.certificateFile };
  return {
    chain,
    payer: createClnPayer({ rest: chain.rest() }),
    gateway: { ...node, CLN_RUNE: chain.receivingRune },
    signer: { ...node, CLN_SEND_RUNE: chain.sendingRune },
    hangUpOnPayment: () => chain.server.hangUpOnXpay(),
    cln: chain.server,
  };
}

describeSigner('LND', startLnd);
describeSigner('Core Lightning', startCln);

function describeSigner(
  program: string,
  startNode: (network: LightningNetwork) => Promise<TestNode>,
): void {
  describeOnLitecoind(`a signer process that pays over ${program}`, () => {
    let network: LightningNetwork;
    let node: TestNode;
    let own: SignerProcess;
    let approverFile: string;
    let shop: PayoutShop;
    beforeAll(buildSigner, 180_000);
    beforeAll(async () => {
      network = await startLightningNetwork();
      node = await startNode(network);
      own = new SignerProcess();
      approverFile = join(own.folder, 'approver.json');
      own.writePolicy(POLICY, [signerOutput('approver-key', approverFile).trim()]);
      await own.start(node.signer);
      const clock = testClock(Date.now());
      const signer = createRemoteSigner({
        socket: own.socket,
        approvalOf: (id) => findApproval(shop.context.db, id),
      });
      shop = await payoutShop({ chains: ['lightning'], overrides: { clock, signer } });
      (shop.context.chains as Map<string, ChainAdapter>).set('lightning', await node.chain.open());
      const sender = createLightningSender({
        payer: node.payer,
        feeLimit: parseAmount('0.5'),
        now: Date.now,
        pay: createRemotePayer({ socket: own.socket }),
      });
      (shop.context.senders as Map<string, ChainSender>).set('lightning', sender);
      await shop.fund('BTC_LIGHTNING', '10');
    }, 120_000);
    afterAll(async () => {
      await shop?.close();
      own?.close();
      await node?.chain.close();
      await network?.stop();
    });

    const payOut = (address: string, amount: string) =>
      shop.payOut({
        kind: 'BTC_LIGHTNING_TO_LIGHTNING',
        recipients: [{ address, amount, currency: 'BTC' }],
      });
    const statusOf = async (id: string): Promise<string> => (await shop.payout(id)).status;
    /** Works until the payout has this status. */
    const reaches = (id: string, status: string) =>
      expect
        .poll(async () => {
          await shop.work();
          return statusOf(id);
        })
        .toBe(status);
    const logged = (): string[] => readFileSync(own.log, 'utf8').trim().split('\n').filter(Boolean);

    /** As a hostile gateway: any words, straight to the socket. */
    async function ask(path: string, body: object): Promise<{ status: number; text: string }> {
      const client = new Client('http://signer', { socketPath: own.socket });
      const { statusCode, body: answer } = await client.request({
        method: 'POST',
        path,
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      await client.close();
      return { status: statusCode, text };
    }
    const planOf = (request: string, hash: string, msat: bigint): LightningPlan => ({
      family: 'lightning',
      paymentRequest: request,
      paymentHash: hash,
      amountMsat: String(msat),
      feeLimitMsat: '5000',
    });

    it('pays within its policy; the gateway has nothing that pays', async () => {
      const { request, hash } = network.payer.request(50_000_000n);
      const { id } = await payOut(request, '0.0005');
      await reaches(id, 'complete');
      expect(network.payer.received(hash)).toBe(50_000_000n);
      expect(logged().at(-1)).toContain(hash);
    });

    it('pays for a gateway with KEYS_MODE=signer, from its settings alone', async () => {
      const keys = join(own.folder, 'public-keys.json');
      writeFileSync(
        keys,
        signerOutput('public-keys', '--dir', own.dir, '--network', 'testnet', '--solana-keys', '3'),
      );
      const service = await startService({
        ...node.gateway,
        KEYS_MODE: 'signer',
        PUBLIC_KEYS_FILE: keys,
        SIGNER_URL: `unix:${own.socket}`,
        SCAN_INTERVAL_MS: '200',
      });
      try {
        const created = resultOf<ShownInvoice>(
          (await createInvoice(service, { amount: '0.001' })).body,
        );
        await network.payer.pay(created.lightning.payment_request!);
        await expect.poll(() => statusIn(service, 'invoices', created.id)).toBe('complete');
        const { request, hash } = network.payer.request(20_000_000n);
        const { body } = await createPayout(service, { address: request, amount: '0.0002' });
        await expect
          .poll(() => statusIn(service, 'payouts', resultOf<{ id: string }>(body).id))
          .toBe('complete');
        expect(network.payer.received(hash)).toBe(20_000_000n);
      } finally {
        await service.close();
      }
    }, 60_000);

    it('pays nothing that is not in its log, and no request for a second payout', async () => {
      const before = network.book.sends;
      const { request, hash } = network.payer.request(1_000_000n);
      const unsigned = await ask('/pay', { plan: planOf(request, hash, 1_000_000n) });
      expect(unsigned).toMatchObject({ status: 403 });
      expect(unsigned.text).toContain('was not signed before');
      const signing = {
        purpose: 'payout',
        chain: 'lightning',
        recipientIndex: null,
        approval: null,
      };
      const plan = planOf(request, hash, 1_000_000n);
      expect(await ask('/sign', { ...signing, id: 'first', plan })).toMatchObject({ status: 200 });
      const second = await ask('/sign', { ...signing, id: 'second', plan });
      expect(second).toMatchObject({ status: 403 });
      // A plan with another fee is not the one that was decided.
      const dearer = { ...plan, feeLimitMsat: '9000000' };
      expect(await ask('/pay', { plan: dearer })).toMatchObject({ status: 403 });
      expect(network.book.sends).toBe(before);
    });

    it('pays once, however often and at once it is asked', async () => {
      const { request, hash } = network.payer.request(2_000_000n);
      const plan = planOf(request, hash, 2_000_000n);
      const signing = {
        purpose: 'payout',
        chain: 'lightning',
        recipientIndex: null,
        approval: null,
      };
      await ask('/sign', { ...signing, id: 'often', plan });
      const before = network.book.sends;
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/pay', { plan })));
      answers.push(await ask('/pay', { plan }));
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"result":"ok"}']));
      expect(network.book.sends - before).toBe(1);
      expect(network.payer.received(hash)).toBe(2_000_000n);
    });

    it('beyond its policy waits for an approval of hash, amount and fee', async () => {
      const { request, hash } = network.payer.request(2_000_000_000n);
      const { id } = await payOut(request, '0.02');
      await shop.work();
      expect(await statusOf(id)).toBe('new');
      expect(network.payer.received(hash)).toBe(0n);
      const [view] = await findPayouts(shop.context.db, [id]);
      const file = join(own.folder, 'request.json');
      writeFileSync(file, JSON.stringify(approvalRequest(view!, 'testnet')));
      const printed = signerOutput('approve', file, '--key', approverFile, '--fee', '0.0001');
      await saveApproval(shop.context.db, id, approval.parse(JSON.parse(printed)));
      await reaches(id, 'complete');
      expect(network.payer.received(hash)).toBe(2_000_000_000n);
    });

    it('killed while it pays, pays once, and the outcome is looked up', async () => {
      network.payer.holds = true;
      const { request, hash } = network.payer.request(3_000_000n);
      const before = network.book.sends;
      const { id } = await payOut(request, '0.00003');
      const working = shop.work();
      await expect.poll(() => network.book.sends - before).toBe(1);
      await own.kill();
      await working;
      // Without the answer it may have been paid.
      expect(await statusOf(id)).not.toBe('failed');
      await own.start(node.signer);
      await shop.work();
      network.payer.settle(true);
      network.payer.holds = false;
      await reaches(id, 'complete');
      expect(network.book.sends - before).toBe(1);
      expect(network.payer.received(hash)).toBe(3_000_000n);
    }, 60_000);

    if (program === 'Core Lightning')
      it('killed while its node looks for a route, does not begin a second search', async () => {
        const server = node.cln!;
        const { request, hash } = network.payer.request(5_000_000n);
        const search = server.search();
        const before = server.xpays;
        const { id } = await payOut(request, '0.00005');
        const working = shop.work();
        await expect.poll(() => server.xpays - before).toBe(1);
        await own.kill();
        await working;
        await own.start(node.signer);
        for (let count = 0; count < 3; count += 1) await shop.work();
        expect(server.xpays - before).toBe(1);
        expect(await statusOf(id)).not.toBe('failed');
        search.found();
        await reaches(id, 'complete');
        expect(server.xpays - before).toBe(1);
        expect(network.payer.received(hash)).toBe(5_000_000n);
      }, 60_000);

    it('leaves an outcome open while its node does not answer, and pays afterwards', async () => {
      const { request, hash } = network.payer.request(4_000_000n);
      const before = network.book.sends;
      const { id } = await payOut(request, '0.00004');
      node.hangUpOnPayment();
      await shop.work();
      await reaches(id, 'complete');
      expect(network.book.sends - before).toBe(1);
      expect(network.payer.received(hash)).toBe(4_000_000n);
    });
  });
}

it('a signer does not start with a node that it cannot pay from', () => {
  const failed = (...more: string[]): string =>
    runSigner('serve', '--dir', '/nowhere/signer', '--socket', '/nowhere/s', ...more).stderr.trim();
  expect(failed('--lnd-url', 'https://127.0.0.1:1')).toBe(
    '--lnd-url and --lnd-macaroon belong together: set both, or neither.',
  );
  expect(failed('--lnd-url', 'http://127.0.0.1:1', '--lnd-macaroon', '02'.repeat(40))).toBe(
    '--lnd-url must be an https URL.',
  );
});

it('a Core Lightning node of a signer needs a URL and a rune that pays, and no LND beside it', () => {
  const clnUrl = 'https://127.0.0.1:1';
  expect(() => lightningNodeOf({ clnRune: 'a rune' })).toThrow(
    '--cln-url and --cln-rune belong together: set both, or neither.',
  );
  expect(() => lightningNodeOf({ clnUrl, clnRune: '/nowhere/rune' })).toThrow(
    "--cln-rune must be a rune, or a file of this user with one; the file can't be read.",
  );
  const receiving = runeOf('=0&method=getinfo|method=listpays');
  expect(() => lightningNodeOf({ clnUrl, clnRune: receiving })).toThrow(
    '--cln-rune lacks xpay, listpeerchannels; make it again',
  );
  const clnRune = runeOf('=0&method=xpay|method=listpays|method=listpeerchannels');
  expect(lightningNodeOf({ clnUrl, clnRune })).toBeTypeOf('function');
  const lnd = { lndUrl: clnUrl, lndMacaroon: createBakery().bake(SENDING) };
  expect(() => lightningNodeOf({ clnUrl, clnRune, ...lnd })).toThrow(
    '--lnd-url and --cln-url exclude each other: one node pays.',
  );
});

const runeOf = (restrictions: string): string =>
  Buffer.concat([Buffer.alloc(32, 7), Buffer.from(restrictions)]).toString('base64url');
