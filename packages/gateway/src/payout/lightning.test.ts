import { createHash } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { encodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { lightningTarget } from '@crypto-checkout/chains/lightning/payment-request';
import { loadConfig } from '../config.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
let resolved: string[];
beforeAll(async () => {
  resolved = [];
  const outbound = createOutbound({
    allow: [],
    allowHttp: true,
    resolve: (host, done) => {
      resolved.push(host);
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
  const error = await shop
    .payOut({ kind: 'BTC_LIGHTNING_TO_LIGHTNING', recipients })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: 'LnurlError' });
  return (error as Error).message;
}

describe('an LNURL at a forbidden destination', () => {
  it.each([
    [
      'http://127.0.0.1:8080/lnurl/1',
      'http://127.0.0.1:8080 is refused: 127.0.0.1 is not public; the setting OUTBOUND_ALLOW of the service can allow it',
    ],
    [
      'http://localhost:8080/lnurl/1',
      'http://127.0.0.1:8080 is refused: 127.0.0.1 is not public; the setting OUTBOUND_ALLOW of the service can allow it',
    ],
    [
      'https://user:secret@them.example/',
      'https://them.example is refused: an address may not hold a password',
    ],
  ])('is rejected with the reason: %s', async (url, why) => {
    expect(await messageOf(url)).toBe(`The address of the LNURL is not allowed: ${why}.`);
    expect(resolved).toEqual([]);
  });

  it('gives the same error for a name in the internal network and an unknown name', async () => {
    const inside = await messageOf('https://inside.example/');
    expect(resolved).toContain('inside.example');
    expect(inside).toBe('The address of the LNURL does not respond.');
    expect(await messageOf('https://nobody.example/')).toBe(inside);
  });

  it('is requested if the operator allowed it', async () => {
    const { config } = shop.context;
    shop.context.config = {
      ...config,
      outboundAllow: loadConfig({ OUTBOUND_ALLOW: '127.0.0.1/32:1' }).outboundAllow,
    };
    expect(await messageOf('http://127.0.0.1:1/')).toBe(
      'The address of the LNURL does not respond.',
    );
    shop.context.config = config;
  });
});

describe('an LNURL that returns an expired request', () => {
  const metadata = '[["text/plain","them"]]';
  const outsideKeys = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
  const LIFE_SECONDS = 900;
  /** Creation time of the LNURL's request, in milliseconds. */
  let createdAt = 0;
  let lnurlShop: PayoutShop;
  const asked: string[] = [];

  const requested = (): string => {
    const facts = {
      kind: 'BTC_LIGHTNING',
      index: 1,
      amount: parseAmount('0.0001'),
      description: '',
      now: createdAt,
    };
    const descriptionHash = createHash('sha256').update(metadata).digest('hex');
    return lightningTarget(outsideKeys, { ...facts, expirySeconds: LIFE_SECONDS, descriptionHash })
      .lightning!.paymentRequest!;
  };

  beforeAll(async () => {
    const offer = {
      tag: 'payRequest',
      callback: 'https://them.example/callback',
      minSendable: 1_000,
      maxSendable: 100_000_000,
      metadata,
    };
    const outbound = (async (url: string) => {
      asked.push(url);
      return Response.json(
        new URL(url).pathname === '/callback' ? { pr: requested(), routes: [] } : offer,
      );
    }) as unknown as typeof fetch;
    lnurlShop = await payoutShop({ chains: ['bitcoin', 'lightning'], overrides: { outbound } });
    await lnurlShop.fund('BTC', '1');
  });
  afterAll(() => lnurlShop.close());

  it('is asked for at the host of an address with a name', async () => {
    createdAt = Math.floor(lnurlShop.context.clock.now() / 1000) * 1000;
    const pay = (address: string) =>
      lnurlShop.payOut({
        kind: 'BTC_LIGHTNING_TO_LIGHTNING',
        recipients: [{ amount: '0.0001', currency: 'BTC', address }],
        estimate_only: true,
      });
    await pay('Buyer+tips@Them.Example');
    expect(asked.splice(0)).toEqual([
      'https://them.example/.well-known/lnurlp/buyer%2Btips',
      'https://them.example/callback?amount=10000000',
    ]);
    for (const address of ['..@them.example', 'buyer@127.0.0.1', 'buyer@them.example:80/x'])
      await expect(pay(address)).rejects.toMatchObject({ reason: 'InvalidAddress' });
    expect(asked).toEqual([]);
  });

  it('is rejected from the moment of expiry', async () => {
    const recipients = [
      { amount: '0.0001', currency: 'BTC', address: encodeLnurl('https://them.example/') },
    ];
    const pay = () => lnurlShop.payOut({ kind: 'BTC_LIGHTNING_TO_LIGHTNING', recipients });
    // Lightning requests have timestamps in whole seconds.
    const now = Math.ceil(lnurlShop.context.clock.now() / 1000) * 1000;
    lnurlShop.context.clock.advance(now - lnurlShop.context.clock.now());
    createdAt = now - LIFE_SECONDS * 1000;
    await expect(pay()).rejects.toMatchObject({
      reason: 'LnurlError',
      message: 'The LNURL returned a lightning request that does not match the payout.',
    });
    expect(await lnurlShop.holdings('BTC')).toEqual({ available: '1', reserved: '0' });
    createdAt += 1000;
    expect((await pay()).status).toBe('new');
  });
});
