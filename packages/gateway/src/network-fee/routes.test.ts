import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import { networkFee, type NetworkFee } from '@crypto-checkout/protocol/schema/network-fee';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import type { Env, Key } from '../http/env.ts';
import { answerError } from '../http/error.ts';
import { createSandboxSenders } from '../sandbox/send.ts';
import { type TestClock, testClock } from '../../test/support/context.ts';
import { fixedRates } from '../rate/fixed-rates.ts';
import { routes } from './routes.ts';
import { roundedFee } from './usual-fees.ts';

const MINUTE = 60_000;
let clock: TestClock;
beforeEach(() => {
  clock = testClock();
});

const sandbox = (): ReadonlyMap<ChainId, ChainSender> =>
  createSandboxSenders({} as Parameters<typeof createSandboxSenders>[0]);

/** The route on chains that have these senders. */
function appOf(
  senders: ReadonlyMap<ChainId, ChainSender>,
  rates = fixedRates(clock),
  permissions = ['exchange-rates:read'],
): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set('key', { permissions: new Set(permissions) } as unknown as Key);
    await next();
  });
  app.onError((error, c) => {
    const { status, body } = answerError(error, 'request');
    return c.json(body, status as 400);
  });
  const chains = new Map(
    [...senders].map(([chain]) => [
      chain,
      { kinds: KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind) },
    ]),
  ) as unknown as ReadonlyMap<ChainId, ChainAdapter>;
  app.route('/', routes({ rates, senders, chains, clock } as unknown as Context));
  return app;
}

async function list(app: Hono<Env>): Promise<ReadonlyMap<string, NetworkFee>> {
  const answer = await app.request('/v1/network-fees/');
  expect(answer.status).toBe(200);
  const { result } = (await answer.json()) as { result: NetworkFee[] };
  for (const fee of result) expect(networkFee.safeParse(fee).success).toBe(true);
  return new Map(result.map((fee) => [fee.kind, fee]));
}

/** A sender of Ethereum whose node is asked, and may not answer. */
function ethereum(): { asked: string[]; isSilent: boolean; senders: Map<ChainId, ChainSender> } {
  const node = { asked: [] as string[], isSilent: false, senders: new Map<ChainId, ChainSender>() };
  node.senders.set('ethereum', {
    chain: 'ethereum',
    kinds: ['ETH', 'ETH_USDT', 'ETH_USDC'],
    usualFee: async (asset: string) => {
      node.asked.push(asset);
      if (node.isSilent) throw new Error('timeout');
      return parseAmount(asset === 'ETH' ? '0.0001234567' : '0.0004');
    },
  } as unknown as ChainSender);
  return node;
}

describe('GET /v1/network-fees/', () => {
  it('lists a fee in US dollars and a time for every kind that can be received', async () => {
    const fees = await list(appOf(sandbox()));
    expect([...fees.keys()].toSorted()).toEqual(KINDS.map(({ kind }) => kind).toSorted());
    // 2,090 satoshi at 96,000 dollars; the fees of Ethereum at 3,200 dollars.
    expect(fees.get('BTC')).toEqual({ kind: 'BTC', fee_usd: '2.1', seconds: 600 });
    expect(fees.get('ETH_USDT')).toEqual({ kind: 'ETH_USDT', fee_usd: '2.1', seconds: 12 });
    expect(fees.get('ETH')!.fee_usd).toBe('0.68');
    expect(fees.get('ETH-BASE')!.fee_usd).toBe('0.0068');
    expect(fees.get('XRP')!.fee_usd).toBe('0.0001');
    expect(fees.get('BTC_LIGHTNING')!.seconds).toBe(0);
    for (const { fee_usd } of fees.values()) expect(Number(fee_usd)).toBeGreaterThan(0);
  });

  it('asks a node for its coin and for one token, at most once a minute', async () => {
    const node = ethereum();
    const app = appOf(node.senders);
    const [first] = await Promise.all([list(app), list(app)]);
    expect(first.get('ETH')!.fee_usd).toBe('0.4');
    expect(first.get('ETH_USDC')!.fee_usd).toBe('1.3');
    expect(node.asked).toEqual(['ETH', 'ETH_USDT']);
    clock.advance(MINUTE);
    await list(app);
    expect(node.asked).toHaveLength(4);
  });

  it('keeps the last fee of a silent node for half an hour, and then has none', async () => {
    const node = ethereum();
    const app = appOf(node.senders);
    await list(app);
    node.isSilent = true;
    clock.advance(30 * MINUTE);
    expect((await list(app)).get('ETH')!.fee_usd).toBe('0.4');
    clock.advance(MINUTE);
    expect((await list(app)).get('ETH')).toEqual({ kind: 'ETH', fee_usd: null, seconds: 12 });
  });

  it('has no fee of a chain that reports none, or without an exchange rate', async () => {
    const node = ethereum();
    const mute = { ...node.senders.get('ethereum')!, usualFee: undefined };
    const senders = new Map([['ethereum', mute as unknown as ChainSender]] as const);
    expect((await list(appOf(senders))).get('ETH')!.fee_usd).toBeNull();
    const usd = new Map([['BTC', parseAmount('96000')]]);
    const rates = { current: async () => ({ usd, at: 0, stale: false }) };
    expect((await list(appOf(node.senders, rates))).get('ETH')!.fee_usd).toBeNull();
  });

  it('rejects a key without the permission', async () => {
    const app = appOf(sandbox(), fixedRates(clock), []);
    expect((await app.request('/v1/network-fees/')).status).toBe(403);
  });
});

describe('a fee', () => {
  it.each([
    ['123.456', '130'],
    ['12.01', '13'],
    ['0.4', '0.4'],
    ['0.0411', '0.042'],
    ['0.00123', '0.0013'],
    ['0.000001', '0.0001'],
    ['0', '0.0001'],
  ])('of %s dollars is written as %s', (fee, written) => {
    expect(roundedFee(parseAmount(fee))).toBe(parseAmount(written));
  });
});
