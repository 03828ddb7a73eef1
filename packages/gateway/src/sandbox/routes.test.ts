import { readFileSync } from 'node:fs';
import { mnemonicToSeedSync } from '@scure/bip39';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { getAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { loadConfig } from '../config.ts';
import { timestamp } from '../database/database.ts';
import type { Env } from '../http/env.ts';
import { answerError } from '../http/error.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import type { Cursor, ScanResult } from '@crypto-checkout/chains/adapter';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { createSandboxChains } from './chains.ts';
import { movableClock } from './clock.ts';
import { mineDue } from './mine-due.ts';
import { sandboxRoutes } from './routes.ts';

const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const START = Date.UTC(2026, 10, 21, 6);
const ACCOUNT = '00000000-0000-4000-8000-000000000001';

let context: TestContext;
let app: Hono<Env>;
let settled: number;
let real: number;
let nextIndex = 0;

beforeAll(async () => {
  const base = await testContext();
  const chains = createSandboxChains({ db: base.db, keys });
  context = Object.assign(base, { chains, clock: movableClock(base.db, () => real) });
  await sql`insert into account (id, name, is_testnet, callback_token_sealed, created_at)
    values (${ACCOUNT}, 'test', true, '', ${timestamp(START)})`.execute(base.db);
});
afterAll(() => context.close());
beforeEach(() => {
  settled = 0;
  real = START;
  app = new Hono<Env>();
  app.onError((error, c) => {
    const { status, body } = answerError(error, 'request');
    return c.json(body, status as 400);
  });
  app.route(
    '/sandbox',
    sandboxRoutes(context, async () => {
      settled += 1;
    }),
  );
});

async function post(path: string, body: unknown, headers: Record<string, string> = {}, base = '') {
  const answer = await app.request(`${base}/sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown> & { txid: string; message: string },
  };
}

async function invoice(kind: string, chain: ChainId, invoiced: string | null): Promise<string> {
  const id = context.ids.uuid();
  const index = nextIndex++;
  const amount = invoiced === null ? null : parseAmount(invoiced);
  const options = {
    kind,
    index,
    amount,
    expirySeconds: 900,
    description: 'Order',
    lnurl: 'https://pay.example/lnurl',
    now: context.clock.now(),
  };
  const target = await context.chains.get(chain)!.deriveTarget(options);
  await sql`insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency, invoiced,
      required_confirmations, positive_difference, negative_difference, lightning, address, updated_at)
    values (${ACCOUNT}, ${id}, ${id}, ${id}, ${kind}, ${chain}, 'new', ${timestamp(START)}, 'USD', ${invoiced}, 1, 0.5, 0.5,
      ${target.lightning === null ? null : JSON.stringify(target.lightning)}, ${target.address}, ${timestamp(START)})`.execute(
    context.db,
  );
  for (const key of target.watchKeys) {
    await sql`insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      values (${key}, ${ACCOUNT}, ${id}, ${chain}, ${timestamp(START)})`.execute(context.db);
  }
  return id;
}

async function scan(chain: ChainId, from: Cursor | null = null): Promise<ScanResult> {
  const match = async (watchKeys: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set(watchKeys);
  return context.chains
    .get(chain)!
    .scan(from, match, { maxBlocks: 10_000, open: [], signal: AbortSignal.timeout(5_000) });
}

async function outputs(chain: ChainId, txid: string) {
  const { events } = await scan(chain);
  const received = events.flatMap((event) =>
    event.type === 'observed' ? [event.observation] : [],
  );
  return received
    .filter((observation) => observation.txid === txid)
    .map(({ asset, amount }) => [asset, amount]);
}

describe('POST /sandbox/pay', () => {
  it('pays exactly the amount due, and settles before it responds', async () => {
    const id = await invoice('ETH', 'ethereum', '0.0123');
    const { status, body } = await post('pay', { invoice_id: id });
    expect(status).toBe(200);
    expect(body.txid).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await outputs('ethereum', body.txid)).toEqual([['ETH', parseAmount('0.0123')]]);
    expect(settled).toBe(1);
  });

  it('accepts the id without dashes in upper case, an amount, several outputs, and another token', async () => {
    const id = await invoice('ETH', 'ethereum', '0.5');
    const short = id.replaceAll('-', '').toUpperCase();
    const part = await post('pay', { invoice_id: short, amount: '0.2' });
    expect(await outputs('ethereum', part.body.txid)).toEqual([['ETH', parseAmount('0.2')]]);
    const twice = await post('pay', { invoice_id: id, outputs: ['0.1', 0.25] });
    expect(await outputs('ethereum', twice.body.txid)).toEqual([
      ['ETH', parseAmount('0.1')],
      ['ETH', parseAmount('0.25')],
    ]);
    const token = await post('pay', { invoice_id: id, kind: 'ETH_USDT', amount: '3' });
    expect(await outputs('ethereum', token.body.txid)).toEqual([['ETH_USDT', parseAmount('3')]]);
    const elsewhere = await post('pay', { invoice_id: id, kind: 'USDC-BASE', amount: '4' });
    expect(await outputs('base', elsewhere.body.txid)).toEqual([['USDC-BASE', parseAmount('4')]]);
  });

  it('finds the invoice of an address', async () => {
    const id = await invoice('BTC', 'bitcoin', '0.25');
    const { rows } = await sql<{ watch_key: string }>`
      select watch_key from deposit_target where invoice_id = ${id}`.execute(context.db);
    const address = rows[0]?.watch_key.split(':')[1];
    const { body } = await post('pay', { address });
    expect(await outputs('bitcoin', body.txid)).toEqual([['BTC', parseAmount('0.25')]]);
    const ether = await invoice('ETH', 'ethereum', '0.5');
    const found = await sql<{ watch_key: string }>`
      select watch_key from deposit_target where invoice_id = ${ether} limit 1`.execute(context.db);
    // Shown with the checksum of EIP-55, stored without.
    const shown = getAddress(found.rows[0]?.watch_key.split(':')[1] ?? '');
    const paid = await post('pay', { address: shown });
    expect(await outputs('ethereum', paid.body.txid)).toEqual([['ETH', parseAmount('0.5')]]);
    const liquid = await invoice('L-BTC', 'liquid', '0.1');
    const stored = await sql<{ address: string }>`
      select address from invoice where id = ${liquid}`.execute(context.db);
    const hidden = await post('pay', { address: stored.rows[0]?.address });
    expect(await outputs('liquid', hidden.body.txid)).toEqual([['L-BTC', parseAmount('0.1')]]);
    await invoice('XRP', 'xrp', '12');
    for (const [wrong, reason] of [
      [{ address: 'nobody' }, 'NotFound'],
      [{ address, invoice_id: id }, 'ValidationError'],
      [{ address: keys.xrp, amount: '1' }, 'ValidationError'],
    ] as const)
      expect((await post('pay', wrong)).body).toMatchObject({ reason });
  });

  it('sets the risk result and replaceability', async () => {
    const flagged = async (txid: string) =>
      (
        await sql`select risk, replaceable from sandbox_transaction where txid = ${txid}`.execute(
          context.db,
        )
      ).rows[0];
    const id = await invoice('BTC', 'bitcoin', '0.5');
    expect(await flagged((await post('pay', { invoice_id: id })).body.txid)).toEqual({
      risk: null,
      replaceable: false,
    });
    const marked = await post('pay', {
      invoice_id: id,
      amount: '0.1',
      risk: 'high',
      replaceable: true,
    });
    expect(await flagged(marked.body.txid)).toEqual({ risk: 'high', replaceable: true });
    const replaced = await post('replace', { txid: marked.body.txid, pays_us: true });
    expect(await flagged(replaced.body.txid)).toEqual({ risk: null, replaceable: true });
    for (const wrong of [{ risk: 'awful' }, { risk: null }, { replaceable: 'yes' }])
      expect((await post('pay', { invoice_id: id, amount: '0.1', ...wrong })).body).toMatchObject({
        reason: 'ValidationError',
      });
  });

  it('pays XRP with the invoice’s tag, or with a wrong one', async () => {
    const id = await invoice('XRP', 'xrp', '12');
    await post('pay', { invoice_id: id });
    const { body } = await post('pay', { invoice_id: id, amount: '1', tag: null });
    await post('mine', { kind: 'XRP', blocks: 1 });
    const ours = await sql<{
      watch_key: string;
    }>`select watch_key from sandbox_output where chain = 'xrp' order by amount`.execute(
      context.db,
    );
    expect(ours.rows[0]).toEqual({ watch_key: `xrp:${keys.xrp}` });
    expect(ours.rows[1]?.watch_key).toMatch(/^xrp:r\w+:\d+$/);
    expect(body.txid).toMatch(/^[0-9A-F]{64}$/);
  });

  it('behaves like a lightning node', async () => {
    const id = await invoice('BTC_LIGHTNING', 'lightning', '0.0005');
    expect((await post('pay', { invoice_id: id, amount: '0.0004' })).body).toMatchObject({
      reason: 'ValidationError',
    });
    expect(
      (await post('pay', { invoice_id: id, outputs: ['0.0003', '0.0002'] })).body,
    ).toMatchObject({ reason: 'ValidationError' });
    const paid = await post('pay', { invoice_id: id });
    expect(await outputs('lightning', paid.body.txid)).toEqual([['BTC', parseAmount('0.0005')]]);
    expect((await post('pay', { invoice_id: id, amount: '0.0005' })).body).toMatchObject({
      reason: 'InvalidState',
    });
    const fine = await post('pay', {
      invoice_id: await invoice('BTC_LIGHTNING', 'lightning', '0.00000123456'),
    });
    expect(await outputs('lightning', fine.body.txid)).toEqual([
      ['BTC', parseAmount('0.00000123456')],
    ]);
    const finer = await invoice('BTC_LIGHTNING', 'lightning', '0.00000123456');
    expect((await post('pay', { invoice_id: finer, amount: '0.000001234567' })).body).toMatchObject(
      { reason: 'ValidationError' },
    );
    expect((await post('pay', { invoice_id: finer, amount: '0.00000123457' })).status).toBe(200);
    const late = await invoice('BTC_LIGHTNING', 'lightning', '0.0005');
    await post('clock', { advance_seconds: 901 });
    expect((await post('pay', { invoice_id: late })).body.message).toMatch(/has expired/);
    const lnurl = await invoice('BTC_LIGHTNING_LNURL', 'lightning', '0.0005');
    expect((await post('pay', { invoice_id: lnurl })).body).toMatchObject({
      reason: 'InvalidState',
    });
  });

  it.each<[string, object, string]>([
    ['an unknown invoice', { invoice_id: 'nobody' }, 'NotFound'],
    ['no invoice', {}, 'ValidationError'],
    ['an unknown member', { invoice_id: 'x', amont: '1' }, 'ValidationError'],
    ['no outputs', { invoice_id: 'x', outputs: [] }, 'ValidationError'],
  ])('refuses %s', async (_, body, reason) => {
    expect((await post('pay', body)).body).toMatchObject({ result: 'error', reason });
    expect(settled).toBe(0);
  });

  it.each<[object, string]>([
    [{ amount: '0' }, 'ValidationError'],
    [{ amount: '-1' }, 'ValidationError'],
    [{ amount: '1e3' }, 'ValidationError'],
    [{ amount: '0.123456789' }, 'ValidationError'],
    [{ amount: '1', outputs: ['1'] }, 'ValidationError'],
    [{ kind: 'ETH' }, 'ValidationError'],
    [{ kind: 'nothing' }, 'ValidationError'],
    [{ tag: '7' }, 'ValidationError'],
    [{ tag: 'seven' }, 'ValidationError'],
  ])('refuses to pay a Bitcoin invoice with %j', async (how, reason) => {
    const id = await invoice('BTC', 'bitcoin', '0.1');
    expect((await post('pay', { invoice_id: id, ...how })).body).toMatchObject({ reason });
  });

  it('requires an amount when nothing is due', async () => {
    const id = await invoice('LTC', 'litecoin', null);
    expect((await post('pay', { invoice_id: id })).body).toMatchObject({
      reason: 'InvalidState',
      message: expect.stringMatching(/state an amount/),
    });
    expect((await post('pay', { invoice_id: id, amount: '1' })).status).toBe(200);
  });
});

it('takes every call of the documentation, in its order', async () => {
  const page = readFileSync(new URL('../../../../docs/shop/simulator.md', import.meta.url), 'utf8');
  const calls = [...page.matchAll(/^sandbox (\w+) '(.*)' *(?:#.*)?$/gm)];
  expect(new Set(calls.map(([, path]) => path))).toEqual(
    new Set(['pay', 'mine', 'clock', 'replace', 'drop', 'fail', 'reorg']),
  );
  await post('mine', { kind: 'BTC', blocks: 3 });
  for (const [, path = '', body = ''] of calls) {
    const id = await invoice('BTC', 'bitcoin', '0.01');
    const { txid } = (await post('pay', { invoice_id: id, amount: '0.002' })).body;
    const { rows } = await sql<{ watch_key: string }>`
      select watch_key from deposit_target where invoice_id = ${id}`.execute(context.db);
    const filled = body
      .replace("'$ADDRESS'", rows[0]?.watch_key.split(':')[1] ?? '')
      .replace("'$TXID'", txid);
    expect(await post(path, filled), `${path} ${filled}`).toMatchObject({ status: 200 });
  }
});

describe('the other calls', () => {
  it('mine, replace, drop, fail and reorganise', async () => {
    const id = await invoice('DOGE', 'dogecoin', '100');
    const first = (await post('pay', { invoice_id: id })).body.txid;
    const second = await post('replace', { txid: first, pays_us: true });
    expect(await outputs('dogecoin', second.body.txid)).toEqual([['DOGE', parseAmount('100')]]);
    expect((await post('drop', { txid: first })).body).toMatchObject({ reason: 'InvalidState' });
    expect((await post('drop', { txid: second.body.txid })).body).toEqual({
      txid: second.body.txid,
    });
    const third = (await post('pay', { invoice_id: id })).body.txid;
    expect((await post('mine', { kind: 'DOGE', blocks: 2 })).body).toMatchObject({ height: 2 });
    expect((await post('reorg', { kind: 'DOGE', depth: 2 })).body).toMatchObject({ height: 3 });
    expect((await post('fail', { txid: third })).status).toBe(200);
    expect((await post('fail', { txid: third })).body).toMatchObject({ reason: 'InvalidState' });
    expect((await post('reorg', { kind: 'DOGE', depth: 99 })).body).toMatchObject({
      reason: 'InvalidState',
    });
    expect((await post('mine', { kind: 'DOGE', blocks: 0 })).body).toMatchObject({
      reason: 'ValidationError',
    });
    expect((await post('mine', { kind: 'GOLD', blocks: 1 })).body).toMatchObject({
      reason: 'ValidationError',
    });
  });

  it.each(['replace', 'drop', 'fail'])('%s refuses an invalid transaction id', async (path) => {
    const how = path === 'replace' ? { pays_us: true } : {};
    expect(await post(path, { txid: 'a\0b', ...how })).toMatchObject({
      status: 404,
      body: { reason: 'NotFound' },
    });
  });

  it('reorganise no deeper than a scan can follow', async () => {
    expect((await post('reorg', { kind: 'CELO', depth: 256 })).body).toMatchObject({
      reason: 'ValidationError',
    });
    await post('mine', { kind: 'CELO', blocks: 256 });
    const { cursor } = await scan('celo');
    expect((await post('reorg', { kind: 'CELO', depth: 255 })).status).toBe(200);
    expect((await scan('celo', cursor)).events).toContainEqual({ type: 'rollback', toHeight: 1 });
  });

  it('move business time no further than lightning requests can encode', async () => {
    const clock = movableClock(context.db, () => real);
    await clock.read();
    const before = clock.now();
    await clock.moveBy(Date.UTC(2999, 11, 31) - before);
    expect((await post('clock', { advance_seconds: 86_401 })).body).toMatchObject({
      reason: 'InvalidState',
    });
    expect((await post('clock', { advance_seconds: 86_400 })).body).toEqual({
      now: '3000-01-01T00:00:00.000000+00:00',
    });
    await clock.moveBy(before - Date.UTC(3000, 0, 1));
    expect((await post('clock', { advance_seconds: 0 })).body).toEqual({ now: timestamp(before) });
  });

  it('move business time for every process, never backwards', async () => {
    const other = movableClock(context.db, () => real);
    await other.read();
    const before = other.now();
    const { body } = await post('clock', { advance_seconds: 3_600 });
    await other.read();
    expect(other.now()).toBe(before + 3_600_000);
    expect(body).toEqual({ now: timestamp(other.now()) });
    expect(other.real()).toBe(START);
    expect((await post('clock', { advance_seconds: -1 })).body).toMatchObject({
      reason: 'ValidationError',
    });
    await Promise.all([
      post('clock', { advance_seconds: 5 }),
      post('clock', { advance_seconds: 5 }),
      other.moveBy(5_000),
    ]);
    await other.read();
    expect(other.now()).toBe(before + 3_615_000);
  });

  it('count the blocks of business time', async () => {
    await post('clock', { advance_seconds: 86_400 });
    const id = await invoice('L-BTC', 'liquid', '1');
    await post('pay', { invoice_id: id });
    await post('mine', { kind: 'L-BTC', blocks: 1 });
    const { events } = await scan('liquid');
    expect(events[0]).toMatchObject({
      type: 'observed',
      observation: { block: { time: context.clock.now() } },
    });
  });
});

describe('access', () => {
  it.each(['X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via'])(
    'is refused with the header %s, which a proxy on this machine adds',
    async (header) => {
      const { status, body } = await post(
        'mine',
        { kind: 'BTC', blocks: 1 },
        { [header]: 'for=1.2.3.4' },
      );
      expect([status, body['reason']]).toEqual([403, 'IpNotAllowed']);
    },
  );

  it('refuses other content types, other hosts and invalid JSON', async () => {
    expect(
      (await post('mine', { kind: 'BTC', blocks: 1 }, { 'content-type': 'text/plain' })).body,
    ).toMatchObject({
      reason: 'ValidationError',
    });
    expect((await post('mine', { kind: 'BTC', blocks: 1 }, {}, 'http://evil.example')).status).toBe(
      403,
    );
    expect((await post('mine', '{', {})).body).toMatchObject({ reason: 'ValidationError' });
    expect((await post('mine', `"${'x'.repeat(70_000)}"`)).status).toBe(413);
  });

  it('has no sandbox routes beside a main network', async () => {
    const main = {
      ...context,
      chains: new Map([
        ['ethereum', { ...context.chains.get('ethereum')!, network: 'mainnet' as const }],
      ]),
    };
    const routes = sandboxRoutes(main as TestContext, async () => undefined);
    expect((await routes.request('/clock', { method: 'POST' })).status).toBe(404);
  });
});

describe('mineDue', () => {
  it('mines chains with pending transactions when a block is due, and skips idle chains', async () => {
    const paced = { ...context, config: { ...loadConfig({}), sandboxBlockSeconds: 10 } };
    const id = await invoice('SOL', 'solana', '2');
    await sql`update sandbox_transaction set state = 'dropped' where state = 'mempool'`.execute(
      context.db,
    );
    expect(await mineDue(paced)).toEqual([]);
    real += 1_000_000;
    await post('pay', { invoice_id: id });
    expect(await mineDue(paced)).toEqual([]);
    real += 10_000;
    expect(
      await mineDue({ ...paced, config: { ...paced.config, sandboxBlockSeconds: 0 } }),
    ).toEqual([]);
    expect(await mineDue(paced)).toEqual(['solana']);
    real += 10_000;
    expect(await mineDue(paced)).toEqual([]);
  });
});
