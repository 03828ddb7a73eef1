import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBolt11, FEATURES } from '@crypto-checkout/chains/lightning/bolt11';
import type { LightningPlan } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { CLN_RECEIVING, startClnChain } from '../../../chains/test/support/lightning/cln-chain.ts';
import { startLdkNode, type LdkNode } from '../../../chains/test/support/lightning/ldk-node.ts';
import {
  createPayer,
  mineTo,
  type LightningNetwork,
} from '../../../chains/test/support/lightning/lightning-network.ts';
import { startLndChain } from '../../../chains/test/support/lightning/lnd-chain.ts';
import { LndBook } from '../../../chains/test/support/lightning/lnd-book.ts';
import { startPhoenixdChain } from '../../../chains/test/support/lightning/phoenixd-chain.ts';
import {
  describeOnLitecoind,
  startLitecoind,
  type Litecoind,
} from '../../../chains/test/support/litecoind.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { ensureFirstStart } from '../account/first-start.ts';
import { UnavailableError } from '../http/error.ts';
import { checkNodes } from '../check/nodes.ts';
import { loadConfig } from '../config.ts';
import { readChainStates } from '../http/monitoring/chain-state.ts';
import { openChains, type OpenChains } from './open-chains.ts';
import { findProgress, findSource } from './scan-progress.ts';

const LIFE_SECONDS = 3_600;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function planOf(id: string, endedSeconds = 0): LightningPlan {
  const paymentHash = sha256(id);
  const request = {
    prefix: 'bcrt' as const,
    amountMsat: 1_000n,
    timestamp: Math.floor(Date.now() / 1_000) - endedSeconds - LIFE_SECONDS,
    paymentHash,
    paymentSecret: sha256(`${id} secret`),
    description: 'a payout',
    descriptionHash: null,
    expirySeconds: LIFE_SECONDS,
    features: FEATURES,
  };
  const paymentRequest = encodeBolt11(request, new Uint8Array(32).fill(7));
  const amounts = { amountMsat: '1000', feeLimitMsat: '0' };
  return { family: 'lightning', paymentRequest, paymentHash, ...amounts };
}

interface Started {
  /** The settings of a gateway with this node. */
  env: Record<string, string>;
  server: { fault(fault: 'silent' | null): void };
  close(): Promise<void>;
}

const PROGRAMS: Record<string, (network: LightningNetwork) => Promise<Started>> = {
  async LND_URL(network) {
    const { server, certificateFile, close, ...macaroons } = await startLndChain(network);
    const env = {
      LND_URL: server.url,
      LND_CERT: certificateFile,
      LND_MACAROON: macaroons.receivingMacaroon,
      LND_SEND_MACAROON: macaroons.sendingMacaroon,
    };
    return { env, server, close };
  },
  async CLN_URL(network) {
    const { server, certificateFile, close } = await startClnChain(network);
    const env = { CLN_CERT: certificateFile, CLN_RUNE: server.rune(CLN_RECEIVING) };
    return { env: { CLN_URL: server.url, ...env }, server, close };
  },
  async PHOENIXD_URL(network) {
    const { server, close } = await startPhoenixdChain(network);
    const env = { PHOENIXD_PASSWORD: server.passwords.limited };
    return { env: { PHOENIXD_URL: server.url, ...env }, server, close };
  },
};

describeOnLitecoind('a lightning node in the place of another one', () => {
  let chain: Litecoind;
  let nodes: [LdkNode, LdkNode];
  let dataDir: string;
  let context: TestContext;
  const closing: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    chain = await startLitecoind();
    await mineTo(chain, 1);
    nodes = [await startLdkNode({ chain, seed: 11 }), await startLdkNode({ chain, seed: 12 })];
    dataDir = mkdtempSync(join(tmpdir(), 'other-node-'));
  }, 60_000);
  afterAll(async () => {
    for (const node of nodes ?? []) node.stop();
    await chain?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await testContext();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await context.close();
  });

  /** Without a channel: only its lists are read. */
  function networkOf(node: LdkNode): LightningNetwork {
    const none = async (): Promise<void> => {};
    const payer = createPayer(node);
    return { chain, book: new LndBook(node), payer, connect: none, stop: none };
  }

  async function start(program: string): Promise<[Started, Started]> {
    const [first, second] = nodes;
    const started: [Started, Started] = [
      await PROGRAMS[program]!(networkOf(first)),
      await PROGRAMS[program]!(networkOf(second)),
    ];
    for (const { close } of started) closing.push(close);
    return started;
  }

  const configOf = (...env: Record<string, string>[]) =>
    loadConfig(Object.assign({ DATA_DIR: dataDir, SANDBOX: 'false' }, ...env));

  async function open(...env: Record<string, string>[]): Promise<OpenChains> {
    const log = pino({ level: 'silent' });
    const opened = await openChains({ config: configOf(...env), db: context.db, log });
    closing.push(() => opened.chains.get('lightning')!.close?.());
    return opened;
  }

  const lightningOf = ({ chains }: OpenChains) => chains.get('lightning')!;

  /** Reads the chain once, and stores how far. */
  async function scan(opened: OpenChains): Promise<void> {
    const { cursor } = await findProgress(context.db, 'lightning');
    const { cursor: next } = await lightningOf(opened).scan(cursor, async () => new Set(), {
      maxBlocks: 25,
      open: [],
      signal: AbortSignal.timeout(10_000),
    });
    await sql`update chain_cursor set cursor = ${JSON.stringify(next)}`.execute(context.db);
  }

  /** A payout that waits for its outcome, whose request ends now or ended before. */
  async function addSent({
    tries,
    result = null,
    open: isOpen = true,
    endedSeconds = 0,
  }: {
    tries: number;
    result?: string | null;
    open?: boolean;
    endedSeconds?: number;
  }): Promise<void> {
    const id = context.ids.uuid();
    const plan = JSON.stringify(planOf(id, endedSeconds));
    await sql`insert into outgoing (id, purpose, chain, open, tries, result, created_at_real)
      values (${id}, ${`payout ${id}`}, 'lightning', ${isOpen}, ${tries}, ${result}, now())`.execute(
      context.db,
    );
    await sql`insert into outgoing_attempt (outgoing_id, number, intent, plan, created_at_real)
      values (${id}, 1, 'send', ${plan}::jsonb, now())`.execute(context.db);
  }

  const refusal = (setting: string): string =>
    `${setting}: its node has the public key ${nodes[1].id}, and this database has the payments of the node ${nodes[0].id}; set ${setting} to that node, or LIGHTNING_REPLACES_NODE=${nodes[0].id} to replace it for good.`;
  const replacing = (index: 0 | 1) => ({ LIGHTNING_REPLACES_NODE: nodes[index].id });

  it.each(Object.keys(PROGRAMS))(
    'ends the start, and is a fault of `check`, until the operator names the node before: %s',
    async (setting) => {
      const [first, second] = await start(setting);
      await open(first.env);
      await expect(open(second.env)).rejects.toMatchObject({
        name: 'ConfigError',
        message: refusal(setting),
      });
      await expect(open(second.env, replacing(1))).rejects.toThrow(refusal(setting));
      const findings = await checkNodes(configOf(second.env), context.db);
      expect(findings.filter(({ result }) => result === 'fault')).toEqual([
        { about: setting, result: 'fault', says: `I${refusal(setting).slice(setting.length + 3)}` },
      ]);
      expect(await checkNodes(configOf(first.env), context.db)).not.toContainEqual(
        expect.objectContaining({ result: 'fault' }),
      );
      await scan(await open(second.env, replacing(0)));
      expect(await findSource(context.db, 'lightning')).toMatch(new RegExp(`:${nodes[1].id}$`));
      await open(second.env);
      await expect(open(first.env, replacing(0))).rejects.toThrow(
        `LIGHTNING_REPLACES_NODE=${nodes[1].id} to replace it for good.`,
      );
    },
  );

  it('is not taken while the outcome of a payout is at the node before', async () => {
    const [first, second] = await start('LND_URL');
    await open(first.env);
    await addSent({ tries: 1 });
    await addSent({ tries: 1, open: false });
    await expect(open(second.env, replacing(0))).rejects.toMatchObject({
      name: 'ConfigError',
      message:
        'LIGHTNING_REPLACES_NODE: the node before may have begun payouts (1), and another one could pay them again; set LND_URL to the node before until they have ended, or wait until 10 minutes after their requests have run out.',
    });
    await open(first.env, replacing(0));
    await sql`update outgoing set open = false`.execute(context.db);
    await open(second.env, replacing(0));
  });

  it('is taken while open payouts can never be sent again', async () => {
    const [first, second] = await start('LND_URL');
    await open(first.env);
    await addSent({ tries: 0 });
    await addSent({ tries: 1, result: 'ok' });
    await addSent({ tries: 1, result: 'unknown', endedSeconds: 11 * 60 });
    await open(second.env, replacing(0));
    await addSent({ tries: 1, result: 'unknown', endedSeconds: 9 * 60 });
    await expect(open(second.env, replacing(0))).rejects.toThrow('may have begun payouts (1)');
  });

  it('names the setting of the program that the node before runs', async () => {
    const [first] = await start('LND_URL');
    await open(first.env);
    const [, other] = await start('CLN_URL');
    await expect(open(other.env)).rejects.toThrow(
      `CLN_URL: its node has the public key ${nodes[1].id}, and this database has the payments of the node ${nodes[0].id}; set LND_URL to that node`,
    );
  });

  it('is refused when it answers late, and `/readyz` has the reason', async () => {
    const [first, second] = await start('PHOENIXD_URL');
    await ensureFirstStart({ ...context, chains: (await open(first.env)).chains });
    second.server.fault('silent');
    const opened = await open(second.env);
    second.server.fault(null);
    const mistake = refusal('PHOENIXD_URL');
    expect(await opened.openLate()).toEqual([{ chain: 'lightning', mistake }]);
    const { chains } = opened;
    const states = await readChainStates({ ...context, chains }, context.clock.real());
    expect(states.get('lightning')).toMatchObject({ ok: false, tip: null, detail: mistake });
    expect(lightningOf(opened).kinds).toEqual([]);
  });

  it.each(['LND_URL', 'PHOENIXD_URL'])(
    'is not ready when it answers while the service runs: %s',
    async (setting) => {
      const network = networkOf(nodes[0]);
      const started = await PROGRAMS[setting]!(network);
      closing.push(started.close);
      const lightning = lightningOf(await open(started.env));
      expect(await lightning.health()).toMatchObject({ ok: true, detail: null });
      Object.assign(network.book, { node: nodes[1] });
      expect(await lightning.health()).toMatchObject({
        ok: false,
        detail:
          'Another lightning node answers than the one that was there at the start; set the address of that node, and start again',
      });
    },
  );

  it('ends the reading of a gateway that still has the node before', async () => {
    const [first, second] = await start('LND_URL');
    const before = await open(first.env);
    await scan(before);
    await scan(await open(second.env, replacing(0)));
    await expect(scan(before)).rejects.toThrow(
      `LND_URL: its node has the public key ${nodes[0].id}, and this database has the payments of the node ${nodes[1].id}`,
    );
  });

  it('ends the sending of a gateway that still has the node before', async () => {
    const [first, second] = await start('LND_URL');
    const before = await open(first.env);
    const after = await open(second.env, replacing(0));
    const [old, replaced] = [before, after].map(({ senders }) => senders.get('lightning')!);
    const plan = planOf('a payout that waits');
    const raw = JSON.stringify(plan);
    const sent = { nonce: null, attempts: [{ raw, txid: plan.paymentHash }] };
    expect(await old!.lookUp(sent)).toEqual({ state: 'unseen' });
    await expect(replaced!.lookUp(sent)).rejects.toThrow(UnavailableError);
    await scan(after);
    expect(await replaced!.lookUp(sent)).toEqual({ state: 'unseen' });
    await expect(old!.lookUp(sent)).rejects.toThrow(UnavailableError);
    await expect(old!.test!(raw)).rejects.toThrow(UnavailableError);
    const request = {
      id: 'a payout that waits',
      asset: 'BTC',
      outputs: [],
      preset: 'normal',
      feeRate: null,
      feeReserve: 0n,
      minNonce: 0,
    } as const;
    await expect(old!.plan(request)).rejects.toThrow(UnavailableError);
    expect(await old!.broadcast(raw)).toEqual({
      result: 'unknown',
      reason: `This process has the lightning node ${nodes[0].id}, and the database reads the node ${nodes[1].id}: it sends nothing meanwhile`,
    });
  });

  it('is not read after the node before was handed a payout', async () => {
    const [first, second] = await start('LND_URL');
    await open(first.env);
    const after = await open(second.env, replacing(0));
    await addSent({ tries: 1 });
    await expect(scan(after)).rejects.toThrow('may have begun payouts (1)');
    await sql`update outgoing set open = false`.execute(context.db);
    await scan(after);
  });

  it('is looked for in the database when it answers late', async () => {
    const [first, second] = await start('LND_URL');
    await scan(await open(first.env));
    second.server.fault('silent');
    await ensureFirstStart({ ...context, chains: (await open(first.env)).chains });
    const late = await open(first.env);
    const silent = await open(second.env, replacing(0));
    await addSent({ tries: 1 });
    second.server.fault(null);
    expect(await silent.openLate()).toEqual([
      { chain: 'lightning', mistake: expect.stringContaining('may have begun payouts (1)') },
    ]);
    expect(await late.openLate()).toEqual([]);
  });

  it('is on the wrong network first of all', async () => {
    const [first, second] = await start('LND_URL');
    await ensureFirstStart({ ...context, chains: (await open(first.env)).chains });
    await sql`update account set is_testnet = false`.execute(context.db);
    await expect(open(second.env)).rejects.toThrow(
      'The database belongs to a main network, but the chains are configured for a test network',
    );
  });
});

it.each(['', '04'.repeat(33), '02ab', 'lnd:02'])('a public key is not %j', (key) => {
  const config = () => loadConfig({ LIGHTNING_REPLACES_NODE: key });
  if (key === '') expect(config().lightning).toBeNull();
  else expect(config).toThrow('LIGHTNING_REPLACES_NODE must be a public key: 02 or 03, and 64');
});
