import { createHash } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicKeysOf } from '../chain/keys.ts';
import { encodeLnurl } from '../chain/lightning/lnurl.ts';
import { lightningTarget } from '../chain/lightning/request.ts';
import { loadConfig } from '../config.ts';
import { createOutbound } from '../http/outbound.ts';
import { payoutShop, type PayoutShop } from './test-payouts.ts';

let shop: PayoutShop;
let asked: string[];
beforeAll(async () => {
  asked = [];
  const outbound = createOutbound({
    allow: [],
    allowHttp: true,
    resolve: (host, done) => {
      asked.push(host);
      if (host === 'nobody.example') return done(new Error('no such host'), []);
      done(null, [{ address: '10.0.0.5', family: 4 }]);
    },
  });
  shop = await payoutShop({ chains: ['bitcoin', 'lightning'], overrides: { outbound } });
  await shop.fund('BTC', '1');
});
afterAll(() => shop.close());

async function messageOf(url: string): Promise<string> {
  const recipients = [{ amount: '0.0001', currency: 'BTC', address: encodeLnurl(url) }];
  const error = await shop.payOut({ kind: 'BTC_LIGHTNING_TO_LIGHTNING', recipients }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: 'LnurlError' });
  return (error as Error).message;
}

describe('an LNURL that our own policy does not let us ask', () => {
  it.each([
    ['http://127.0.0.1:8080/lnurl/1', 'http://127.0.0.1:8080 is refused: 127.0.0.1 is not public; OUTBOUND_ALLOW of the service opens it'],
    ['http://localhost:8080/lnurl/1', 'http://127.0.0.1:8080 is refused: 127.0.0.1 is not public; OUTBOUND_ALLOW of the service opens it'],
    ['https://user:secret@them.example/', 'https://them.example is refused: an address may not hold a password'],
  ])('is refused with what its own text says: %s', async (url, why) => {
    expect(await messageOf(url)).toBe(`The address of the LNURL is not asked: ${why}.`);
    expect(asked).toEqual([]);
  });

  it('does not tell a name that leads inside from one of nobody', async () => {
    const inside = await messageOf('https://inside.example/');
    expect(asked).toContain('inside.example');
    expect(inside).toBe('The address of the LNURL does not answer.');
    expect(await messageOf('https://nobody.example/')).toBe(inside);
  });

  it('is asked where the operator opened it', async () => {
    const { config } = shop.context;
    shop.context.config = { ...config, outboundAllow: loadConfig({ OUTBOUND_ALLOW: '127.0.0.1/32:1' }).outboundAllow };
    expect(await messageOf('http://127.0.0.1:1/')).toBe('The address of the LNURL does not answer.');
    shop.context.config = config;
  });
});

describe('an LNURL whose answer has run out', () => {
  const metadata = '[["text/plain","them"]]';
  const theirs = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
  const LIFE_SECONDS = 900;
  /** When the request was made that the LNURL answers with, in milliseconds. */
  let madeAt = 0;
  let theirShop: PayoutShop;

  const requested = (): string => {
    const facts = { kind: 'BTC_LIGHTNING', index: 1, amount: parseAmount('0.0001'), description: '', now: madeAt };
    const descriptionHash = createHash('sha256').update(metadata).digest('hex');
    return lightningTarget(theirs, { ...facts, expirySeconds: LIFE_SECONDS, descriptionHash }).lightning!.paymentRequest!;
  };

  beforeAll(async () => {
    const offer = { tag: 'payRequest', callback: 'https://them.example/callback', minSendable: 1_000, maxSendable: 100_000_000, metadata };
    const outbound = (async (url: string) =>
      Response.json(new URL(url).pathname === '/callback' ? { pr: requested(), routes: [] } : offer)) as unknown as typeof fetch;
    theirShop = await payoutShop({ chains: ['bitcoin', 'lightning'], overrides: { outbound } });
    await theirShop.fund('BTC', '1');
  });
  afterAll(() => theirShop.close());

  it('is refused, from the moment on at which nobody can pay it', async () => {
    const recipients = [{ amount: '0.0001', currency: 'BTC', address: encodeLnurl('https://them.example/') }];
    const pay = () => theirShop.payOut({ kind: 'BTC_LIGHTNING_TO_LIGHTNING', recipients });
    // Lightning requests are dated in whole seconds.
    const now = Math.ceil(theirShop.context.clock.now() / 1000) * 1000;
    theirShop.context.clock.advance(now - theirShop.context.clock.now());
    madeAt = now - LIFE_SECONDS * 1000;
    await expect(pay()).rejects.toMatchObject({
      reason: 'LnurlError',
      message: 'The LNURL answered with a request that is not the one that was asked for.',
    });
    expect(await theirShop.holdings('BTC')).toEqual({ available: '1', reserved: '0' });
    madeAt += 1000;
    expect((await pay()).status).toBe('new');
  });
});
