import { processConversions } from '../conversion/process.ts';
import { payoutFunding } from './sending/conversion-funding.ts';
import { createHash } from 'node:crypto';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { payout as payoutSchema } from '@crypto-checkout/protocol/schema/payout';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lightningTarget } from '@crypto-checkout/chains/lightning/payment-request';
import { encodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { callbacksOf } from '../../test/support/shop.ts';
import { ServiceError } from '../http/error.ts';
import { decidePayout } from './approval/decide.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
let answers: Map<string, unknown>;
beforeAll(async () => {
  answers = new Map();
  const outbound = (async (url: string) => {
    const { origin, pathname } = new URL(url);
    const answer = answers.get(origin + pathname);
    if (answer === undefined) throw new Error('no such host');
    return Response.json(
      typeof answer === 'function' ? (answer as (url: string) => unknown)(url) : answer,
    );
  }) as unknown as typeof fetch;
  shop = await payoutShop({
    chains: ['bitcoin', 'lightning', 'ton', 'ethereum', 'litecoin', 'dogecoin'],
    overrides: { outbound },
  });
  for (const [kind, amount] of [
    ['BTC', '10'],
    ['TON', '1000'],
    ['ETH', '10'],
    ['LTC', '100'],
  ] as const)
    await shop.fund(kind, amount);
});
afterAll(() => shop.close());

const btc = (amount: string, more: object = {}) => ({
  recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC, ...more }],
});
const txidOf = async (id: string): Promise<string> => (await shop.payout(id)).txid;
const later = (seconds: number): string =>
  new Date(shop.context.clock.now() + seconds * 1000).toISOString();

describe('a payout on its chain', () => {
  it('sends the GET answer as a callback at each step', async () => {
    const { id } = await shop.payOut({
      ...btc('0.5'),
      passthrough: '{"a":1}',
      reference_id: 'callback',
    });
    await shop.work();
    await shop.mine('BTC');
    const callbacks = await callbacksOf(shop.context, id);
    expect(callbacks.map(({ event }) => event)).toEqual(['payout_pending', 'payout_confirmed']);
    const bodies = callbacks.map(
      ({ body }) => JSON.parse(body) as Record<string, Record<string, unknown>>,
    );
    expect(bodies.map(({ result }) => result!['status'])).toEqual(['pending', 'confirmed']);
    expect(bodies[1]).toMatchObject({
      callback_status: 'payout_confirmed',
      callback_id: expect.any(String),
      signature: expect.any(String),
    });
    expect(bodies[1]!['result']).toEqual(JSON.parse(JSON.stringify(await shop.payout(id))));
    expect(bodies[1]!['payout']).toEqual(bodies[1]!['result']);
    expect(bodies[1]!['result']).toMatchObject({
      passthrough: '{"a":1}',
      reference_id: 'callback',
    });
    expect(payoutSchema.safeParse(bodies[1]!['result']).success).toBe(true);
    await shop.mine('BTC', 5);
  });

  it('is unconfirmed after 24 hours without a block, and can still be confirmed', async () => {
    const { id } = await shop.payOut(btc('0.11'));
    await shop.work();
    await shop.advance(24 * 60 * 60);
    expect((await shop.payout(id)).status).toBe('pending');
    await shop.advance(1);
    expect((await shop.payout(id)).status).toBe('unconfirmed');
    await shop.mine('BTC', 6);
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await shop.events(id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('stays confirmed when a reorganisation moves it to another block', async () => {
    const { id } = await shop.payOut(btc('0.12'));
    await shop.work();
    await shop.mine('BTC', 2);
    const txid = await txidOf(id);
    await shop.reorganise('BTC', 2, true);
    expect(await shop.payout(id)).toMatchObject({ status: 'confirmed', confirmations: 0, txid });
    await shop.mine('BTC', 6);
    expect(await shop.payout(id)).toMatchObject({ status: 'complete', txid });
    expect((await shop.sent(ADDRESS.BTC)).filter(({ amount }) => amount === '0.12')).toHaveLength(
      1,
    );
  });

  it('that leaves the mempool is broadcast again with the same bytes', async () => {
    const { id } = await shop.payOut(btc('0.13'));
    await shop.work();
    const txid = await txidOf(id);
    await shop.drop(txid);
    await shop.work();
    await shop.mine('BTC', 6);
    expect(await shop.payout(id)).toMatchObject({ status: 'complete', txid });
  });

  it('that can never be in a block fails and releases its funds', async () => {
    const before = await shop.holdings('BTC');
    const [a, b] = [await shop.payOut(btc('0.14')), await shop.payOut(btc('0.15'))];
    await shop.work();
    await shop.fail(await txidOf(a.id));
    expect(await shop.payout(a.id)).toMatchObject({
      status: 'failed',
      error: 'The transaction failed on the chain',
    });
    await shop.replace(await txidOf(b.id));
    expect((await shop.payout(b.id)).status).toBe('pending');
    await shop.mine('BTC');
    expect(await shop.payout(b.id)).toMatchObject({
      status: 'failed',
      error: 'Another transaction replaced it',
    });
    expect(await shop.events(b.id)).toEqual(['payout_pending', 'payout_failed']);
    expect(await shop.holdings('BTC')).toEqual(before);
  });

  it('that left its block and can never be in another fails and releases its funds', async () => {
    const before = await shop.holdings('BTC');
    const { id } = await shop.payOut(btc('0.16'));
    await shop.work();
    await shop.mine('BTC', 2);
    expect((await shop.payout(id)).status).toBe('confirmed');
    await shop.reorganise('BTC', 2, true);
    await shop.fail(await txidOf(id));
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'The transaction failed on the chain',
    });
    expect(await shop.events(id)).toEqual(['payout_pending', 'payout_confirmed', 'payout_failed']);
    expect(await shop.holdings('BTC')).toEqual(before);
  });

  it('to an invoice of this service pays it', async () => {
    const invoice = await shop.create({ amount: '0.02', currency: 'BTC' });
    const { id } = await shop.payOut(btc('0.02', { address: invoice.address }));
    await shop.work();
    await shop.mine('BTC', 6);
    expect((await shop.get(invoice.id)).status).toBe('complete');
    expect((await shop.payout(id)).status).toBe('complete');
  });
});

describe('a payout waits', () => {
  it('for its date', async () => {
    const before = await shop.holdings('BTC');
    const { id } = await shop.payOut({ ...btc('0.2'), scheduled_at: later(3600) });
    expect((await shop.payout(id)).status).toBe('scheduled');
    expect(await shop.holdings('BTC')).toEqual(before);
    await shop.advance(3599);
    expect((await shop.payout(id)).status).toBe('scheduled');
    await shop.advance(1);
    expect((await shop.payout(id)).status).toBe('pending');
    expect((await shop.payOut({ ...btc('0.2'), scheduled_at: later(-5) })).status).toBe('new');
    await expect(shop.payOut({ ...btc('0.2'), scheduled_at: later(-301) })).rejects.toThrow(
      'scheduled_at must not be more than five minutes in the past',
    );
  });

  it('and fails if the wallet has insufficient funds on its date', async () => {
    const { id } = await shop.payOut({ ...btc('500'), scheduled_at: later(60) });
    await shop.advance(60);
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'The wallet has insufficient funds',
    });
    expect(await shop.events(id)).toEqual(['payout_failed']);
  });

  it('for its turn on TON', async () => {
    const ton = {
      kind: 'TON',
      recipients: [{ amount: '40', currency: 'USD', address: ADDRESS.TON }],
    };
    const [a, b, c] = [await shop.payOut(ton), await shop.payOut(ton), await shop.payOut(ton)];
    await shop.work();
    const statuses = async () =>
      Promise.all([a, b, c].map(async ({ id }) => (await shop.payout(id)).status));
    expect(await statuses()).toEqual(['pending', 'queued', 'queued']);
    await shop.mine('TON');
    expect(await statuses()).toEqual(['complete', 'pending', 'queued']);
    await shop.mine('TON');
    await shop.mine('TON');
    expect(await statuses()).toEqual(['complete', 'complete', 'complete']);
    expect(await shop.events(c.id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('for a day on a main network if the address was never paid, and not on a test network', async () => {
    const { config } = shop.context;
    const fresh = 'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy';
    shop.context.network = 'mainnet';
    try {
      const { id } = await shop.payOut(btc('0.03', { address: fresh }));
      await shop.work();
      expect((await shop.payout(id)).status).toBe('awaiting_policies');
      await shop.advance(86_000);
      await shop.work();
      expect((await shop.payout(id)).status).toBe('awaiting_policies');
      await shop.advance(400);
      await shop.work();
      expect((await shop.payout(id)).status).toBe('pending');
      const other = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
      shop.context.config = { ...config, payoutAddressDelaySeconds: 0 };
      const now = await shop.payOut(btc('0.03', { address: other }));
      await shop.work();
      expect((await shop.payout(now.id)).status).toBe('pending');
    } finally {
      shop.context.network = 'testnet';
      shop.context.config = config;
    }
  });

  it('for a policy if the address was never paid, unless it is approved', async () => {
    const { config } = shop.context;
    shop.context.config = { ...config, payoutAddressDelaySeconds: 600 };
    const fresh = 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7';
    const { id } = await shop.payOut(btc('0.03', { address: fresh }));
    const known = await shop.payOut(btc('0.03'));
    const approved = await shop.payOut(
      btc('0.03', { address: 'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c' }),
    );
    await shop.work();
    for (const waiting of [id, approved.id])
      expect((await shop.payout(waiting)).status).toBe('awaiting_policies');
    await decidePayout(
      shop.context,
      { accountId: shop.accountId, username: 'someone', email: null },
      approved.id,
      { approve: true },
    );
    await shop.work();
    expect(await shop.payout(approved.id)).toMatchObject({
      status: 'pending',
      approved_by: { username: 'someone' },
    });
    expect((await shop.payout(id)).status).toBe('awaiting_policies');
    expect((await shop.payout(known.id)).status).toBe('pending');
    await shop.advance(599);
    expect((await shop.payout(id)).status).toBe('awaiting_policies');
    await shop.advance(1);
    expect((await shop.payout(id)).status).toBe('pending');
    shop.context.config = config;
  });

  it('for a policy if another tag of a known address was paid', async () => {
    const { config } = shop.context;
    const payTag = (destination_tag: string) => {
      const recipient = { amount: '1', currency: 'TON', address: ADDRESS.TON, destination_tag };
      return shop.payOut({ kind: 'TON', recipients: [recipient] });
    };
    await payTag('alice');
    await shop.work();
    shop.context.config = { ...config, payoutAddressDelaySeconds: 600 };
    const [known, other] = [await payTag('alice'), await payTag('mallory')];
    await shop.work();
    expect((await shop.payout(other.id)).status).toBe('awaiting_policies');
    expect((await shop.payout(known.id)).status).not.toBe('awaiting_policies');
    shop.context.config = config;
  });

  it('for the reserve wallet, which buys the missing funds', async () => {
    const { db } = shop.context;
    const { id: reserve } = await db
      .selectFrom('wallet')
      .select('id')
      .where('chain', '=', 'litecoin')
      .executeTakeFirstOrThrow();
    await db
      .updateTable('profile')
      .set({ reserve_wallet: JSON.stringify({ kind: 'LTC', wallet: reserve }) })
      .execute();
    const litecoin = await shop.holdings('LTC');
    const doge = {
      kind: 'DOGE',
      recipients: [{ amount: '1000', currency: 'DOGE', address: ADDRESS.DOGE }],
    };
    const payout = await shop.payOut(doge);
    expect(payout.status).toBe('awaiting_funds');
    await shop.work();
    await processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) });
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('pending');
    // 1,000 DOGE and the fee at 0.2 dollars, in LTC at 80.
    const sold =
      parseAmount(litecoin.available) - parseAmount((await shop.holdings('LTC')).available);
    const lacked = parseAmount(payout.amount.total) + parseAmount(payout.amount.network_fee);
    // Rounded up to a whole litoshi, which the exchange pays in full; the excess, worth less than
    // one, stays.
    const over = sold * 400n - lacked;
    expect([over >= 0n, over < parseAmount('0.00000001') * 400n]).toEqual([true, true]);
    await shop.mine('DOGE', 6);
    expect(await shop.holdings('DOGE')).toEqual({ available: formatAmount(over), reserved: '0' });
    // A payout larger than the reserve keeps waiting.
    const large = await shop.payOut({
      ...doge,
      recipients: [{ ...doge.recipients[0], amount: '10000000' }],
    });
    await shop.work();
    expect((await shop.payout(large.id)).status).toBe('awaiting_funds');
    await db.updateTable('profile').set({ reserve_wallet: null }).execute();
    await shop.fund('DOGE', '10000100');
    await shop.work();
    expect((await shop.payout(large.id)).status).toBe('pending');
  });
});

describe('a lightning payout', () => {
  const outsideKeys = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
  const request = (index: number, amount: string | null, more: object = {}): string =>
    lightningTarget(outsideKeys, {
      kind: 'BTC_LIGHTNING',
      index,
      amount: amount === null ? null : parseAmount(amount),
      expirySeconds: 900,
      description: 'theirs',
      now: shop.context.clock.now(),
      ...more,
    }).lightning!.paymentRequest!;
  const pay = (address: string, more: object = {}) =>
    shop.payOut({
      kind: 'BTC_LIGHTNING_TO_LIGHTNING',
      recipients: [{ currency: 'BTC', address, ...more }],
    });
  const refused = (
    address: string,
    more: object = {},
  ): Promise<{ reason: string; message: string }> =>
    pay(address, more).then(
      () => ({ reason: 'none', message: 'none' }),
      (error: unknown) => error as ServiceError,
    );

  it('pays a request with an amount and is complete at once', async () => {
    const payout = await pay(`lightning:${request(1, '0.001').toUpperCase()}`);
    expect(payout).toMatchObject({
      kind: 'BTC_LIGHTNING_TO_LIGHTNING',
      amount: { total: '0.001', network_fee: '0.00000101', network_fee_currency: 'BTC' },
      recipients: [
        {
          amount: {
            requested: { amount: '0.001', currency: 'BTC' },
            received: { amount: '0.001' },
          },
        },
      ],
    });
    await shop.work();
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await shop.events(payout.id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('pays a request once', async () => {
    const text = request(2, '0.001');
    const [a, b] = [await pay(text), await pay(text)];
    await shop.work();
    await shop.work();
    expect([(await shop.payout(a.id)).status, (await shop.payout(b.id)).status]).toEqual([
      'complete',
      'failed',
    ]);
  });

  it('needs an amount only if the request has none', async () => {
    expect((await refused(request(3, null))).reason).toBe('ValidationError');
    expect((await refused(request(4, '0.001'), { amount: '0.002' })).reason).toBe(
      'ValidationError',
    );
    expect((await pay(request(3, null), { amount: '50', currency: 'USD' })).amount.total).toBe(
      '0.001',
    );
    expect((await pay(request(4, '0.001'), { amount: '0.001' })).amount.total).toBe('0.001');
  });

  it('reports the amount after the custom fee if it differs from the request', async () => {
    const fee = { amount: '0.001', fee_amount: '0.00001' };
    expect((await refused(request(9, '0.001'), fee)).message).toBe(
      'The member recipients.0.amount is 0.00099 BTC (0.001 BTC less fee_amount), but the lightning request asks for 0.001 BTC.',
    );
    expect((await refused(request(9, '0.001'), { amount: '0.002' })).message).toBe(
      'The member recipients.0.amount is 0.002 BTC, but the lightning request asks for 0.001 BTC.',
    );
  });

  it('rejects an invalid request, another network and an expired request', async () => {
    expect((await refused('lntb1nothing')).reason).toBe('InvalidAddress');
    expect((await refused(ADDRESS.BTC)).reason).toBe('InvalidAddress');
    const main = publicKeysOf(new Uint8Array(32).fill(7), { network: 'mainnet' });
    const now = shop.context.clock.now();
    const options = {
      kind: 'BTC_LIGHTNING',
      index: 5,
      amount: 10n ** 15n,
      expirySeconds: 900,
      description: '',
      now,
    };
    expect((await refused(lightningTarget(main, options).lightning!.paymentRequest!)).reason).toBe(
      'InvalidAddress',
    );
    expect((await refused(request(6, '0.001', { now: now - 901_000 }))).reason).toBe(
      'ValidationError',
    );
    expect((await refused(request(7, '0.001'), { destination_tag: '5' })).reason).toBe(
      'ValidationError',
    );
  });

  it('fails if the request expired while the payout waited', async () => {
    const text = request(8, '0.001');
    const recipients = [{ currency: 'BTC', address: text }];
    const { id } = await shop.payOut({
      kind: 'BTC_LIGHTNING_TO_LIGHTNING',
      recipients,
      scheduled_at: later(1000),
    });
    await shop.advance(1000);
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'The lightning request expired before it could be paid',
    });
  });

  describe('to an LNURL', () => {
    const metadata = '[["text/plain","them"]]';
    const code = encodeLnurl('https://them.example/pay');
    const hash = createHash('sha256').update(metadata).digest('hex');
    let index = 100;
    const offer = (change: object = {}): void => {
      answers.set('https://them.example/pay', {
        tag: 'payRequest',
        callback: 'https://them.example/callback?x=1',
        minSendable: 1_000,
        maxSendable: 100_000_000,
        metadata,
        ...change,
      });
      answers.set('https://them.example/callback', (url: string) => {
        const msat = new URL(url).searchParams.get('amount')!;
        return {
          pr: request((index += 1), null, {
            amount: BigInt(msat) * 10n ** 7n,
            descriptionHash: hash,
          }),
          routes: [],
        };
      });
    };

    it('requests an invoice for the amount', async () => {
      offer();
      const payout = await pay(`lightning:${code.toUpperCase()}`, {
        amount: '10',
        currency: 'USD',
      });
      expect(payout).toMatchObject({
        amount: { total: '0.0002' },
        recipients: [{ address: `lightning:${code.toUpperCase()}` }],
      });
      await shop.work();
      await shop.work();
      expect((await shop.payout(payout.id)).status).toBe('complete');
    });

    it('requests a new invoice if the first expired while the payout waited', async () => {
      offer();
      const recipients = [{ amount: '0.0001', currency: 'BTC', address: code }];
      const { id } = await shop.payOut({
        kind: 'BTC_LIGHTNING_TO_LIGHTNING',
        recipients,
        scheduled_at: later(1000),
      });
      await shop.advance(1000);
      await shop.work();
      expect((await shop.payout(id)).status).toBe('complete');
    });

    it('rejects errors and mismatched responses of its service', async () => {
      offer();
      expect((await refused(code)).reason).toBe('ValidationError');
      expect(await refused(code, { amount: '0.1' })).toMatchObject({
        reason: 'LnurlError',
        message: 'The LNURL accepts 0.00000001 BTC to 0.001 BTC, not 0.1 BTC.',
        errors: [{ field: 'recipients.0.amount', message: 'must be 0.00000001 BTC to 0.001 BTC' }],
      });
      expect(await refused(code, { amount: '50.01', currency: 'USD' })).toMatchObject({
        message: 'The LNURL accepts 0.01 USD to 50 USD, not 50.01 USD.',
      });
      expect((await refused(code, { amount: '0.000000001' })).reason).toBe('ValidationError');
      const bad: unknown[] = [
        { status: 'ERROR', reason: 'no route' },
        { pr: 'lntb1' },
        { pr: request(50, '0.0001') },
        { pr: request(51, '0.0002', { descriptionHash: hash }) },
        { something: 'else' },
      ];
      for (const answer of bad) {
        answers.set('https://them.example/callback', answer);
        expect([answer, (await refused(code, { amount: '0.0001' })).reason]).toEqual([
          answer,
          'LnurlError',
        ]);
      }
      for (const [reason, quoted] of [
        ['closed', 'closed'],
        ['This invoice is paid already.', 'This invoice is paid already'],
        ['Wait... ', 'Wait'],
        ['.', 'no reason'],
      ] as const) {
        answers.set('https://them.example/pay', { status: 'ERROR', reason });
        expect(await refused(code, { amount: '0.0001' })).toMatchObject({
          reason: 'LnurlError',
          message: `The LNURL returned an error: ${quoted}.`,
        });
      }
      expect(
        (await refused(encodeLnurl('https://nobody.example/'), { amount: '0.0001' })).reason,
      ).toBe('LnurlError');
      expect((await refused('lnurl1qqqq', { amount: '0.0001' })).reason).toBe('InvalidAddress');
    });
  });

  it('sends to the chain', async () => {
    const payout = await shop.payOut({ kind: 'BTC_LIGHTNING_TO_BTC', ...btc('0.04') });
    await shop.work();
    const { txid, status } = await shop.payout(payout.id);
    expect(status).toBe('pending');
    expect((await shop.sent(ADDRESS.BTC)).find((output) => output.txid === txid)).toMatchObject({
      amount: '0.04',
      asset: 'BTC',
    });
  });
});

describe('a chain that does not respond', () => {
  it('does not block other chains, and its payouts wait', async () => {
    const senders = shop.context.senders as Map<string, unknown>;
    const real = shop.context.senders.get('ethereum')!;
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '1', currency: 'ETH', address: ADDRESS.ETH }],
    });
    senders.set('ethereum', {
      ...real,
      plan: () => Promise.reject(new Error('down')),
      estimate: () => Promise.reject(new Error('down')),
    });
    const other = await shop.payOut(btc('0.05'));
    await shop.work();
    expect([(await shop.payout(id)).status, (await shop.payout(other.id)).status]).toEqual([
      'new',
      'pending',
    ]);
    await expect(
      shop.payOut({
        kind: 'ETH',
        recipients: [{ amount: '1', currency: 'ETH', address: ADDRESS.ETH }],
      }),
    ).rejects.toThrow('does not answer');
    senders.set('ethereum', real);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(
      (await sql`select 1 from outgoing where id = ${id}`.execute(shop.context.db)).rows,
    ).toHaveLength(1);
  });
});

describe('missing exchange rates', () => {
  it('do not block payouts that need none', async () => {
    const { db, rates } = shop.context;
    const { id: reserve } = await db
      .selectFrom('wallet')
      .select('id')
      .where('chain', '=', 'litecoin')
      .executeTakeFirstOrThrow();
    const set = (value: string | null) =>
      db.updateTable('profile').set({ reserve_wallet: value }).execute();
    await set(JSON.stringify({ kind: 'LTC', wallet_id: reserve }));
    const underfunded = await shop.payOut(btc('5000'));
    const funded = await shop.payOut(btc('0.06'));
    shop.context.rates = {
      current: () => Promise.reject(new ServiceError('RateUnavailable', 'none')),
    };
    await shop.work();
    expect([
      (await shop.payout(underfunded.id)).status,
      (await shop.payout(funded.id)).status,
    ]).toEqual(['awaiting_funds', 'pending']);
    shop.context.rates = rates;
    await set(null);
  });
});
