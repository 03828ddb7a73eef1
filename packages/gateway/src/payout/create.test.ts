import { createHash } from 'node:crypto';
import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveTarget } from '@crypto-checkout/chains/deposit-target';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { ServiceError } from '../http/error.ts';
import { createPayout } from './create.ts';
import { presentEstimate } from './present.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
beforeAll(async () => {
  shop = await payoutShop();
  await Promise.all(
    [
      ['BTC', '10'],
      ['ETH', '10'],
      ['ETH_USDT', '100000'],
      ['ETH_USDC', '100'],
      ['TON', '1000'],
      ['XRP', '1000'],
      ['DOGE', '100000'],
      ['LTC', '100'],
      ['BNB', '10'],
      ['USDT-BSC', '100'],
    ].map(([kind, amount]) => shop.fund(kind!, amount!)),
  );
});
afterAll(() => shop.close());

const btc = (more: object = {}) => ({
  amount: '0.01',
  currency: 'BTC',
  address: ADDRESS.BTC,
  ...more,
});
const pay = (payload: Record<string, unknown>) => shop.payOut(payload);
/** An exchange rate limit that every rate satisfies. */
const ANY_RATE = { exchange_rate: '1', allowed_difference: '999999' };
/** Calls as a creator with a key; `createPayout` without one is the service itself. */
const payWithKey = (kind: string, recipient: object) =>
  shop.payOut(
    { kind, recipients: [recipient] },
    { accountId: shop.accountId, key: { id: shop.context.ids.uuid(), maxPayout: null } },
  );
const later = (seconds: number): string =>
  new Date(shop.context.clock.now() + seconds * 1000).toISOString();
const one = (kind: string, recipient: object, more: object = {}) =>
  pay({ kind, recipients: [recipient], ...more });

async function refusal(
  payload: Record<string, unknown>,
): Promise<{ reason: string; message: string; field: string | undefined }> {
  const count = async () =>
    (await sql<{ count: number }>`select count(*) as count from payout`.execute(shop.context.db))
      .rows[0]!.count;
  const held = () =>
    sql`select wallet_id, currency, bucket, amount from balance order by 1, 2, 3`.execute(
      shop.context.db,
    );
  const [before, balances] = [await count(), (await held()).rows];
  const error = await shop.payOut(payload).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error, JSON.stringify(payload)).toBeInstanceOf(ServiceError);
  // A rejected call changes nothing.
  expect(await count()).toBe(before);
  expect((await held()).rows).toEqual(balances);
  const { reason, message, errors } = error as ServiceError;
  return { reason, message, field: errors?.[0]?.field };
}

describe('amounts', () => {
  it('in fiat are converted at the current rate and rounded down', async () => {
    const payout = await one('BTC', btc({ amount: '100', currency: 'EUR' }));
    expect(payout.recipients[0]!.amount).toEqual({
      requested: { amount: '100', currency: 'EUR' },
      received: { amount: '0.0025', currency: 'BTC' },
    });
    const rounded = await one('BTC', btc({ amount: '100', currency: 'JPY' }));
    expect(rounded.recipients[0]!.amount.received.amount).toBe('0.000016');
    const token = await one('ETH_USDT', { amount: '33.33', currency: 'EUR', address: ADDRESS.ETH });
    expect(token).toMatchObject({
      amount: { total: '41.66', network_fee: '0.00065', network_fee_currency: 'ETH' },
    });
  });

  it('in the coin that is sent are exact to its last decimal', async () => {
    const ton = await payWithKey('TON', {
      amount: '0.123456789',
      currency: 'GRAM',
      address: ADDRESS.TON,
      fee_amount: '0.000000001',
      fee_currency: 'GRAM',
    });
    expect(ton.recipients[0]).toMatchObject({
      amount: {
        requested: { amount: '0.123456789', currency: 'GRAM' },
        received: { amount: '0.123456788', currency: 'GRAM' },
      },
    });
    const usdc = await payWithKey('ETH_USDC', {
      amount: '9.999999',
      currency: 'USDC',
      address: ADDRESS.ETH,
    });
    expect(usdc.amount.total).toBe('9.999999');
    expect(
      await refusal({
        kind: 'ETH_USDC',
        recipients: [{ amount: '1.0000001', currency: 'USDC', address: ADDRESS.ETH }],
      }),
    ).toMatchObject({
      message: 'The member recipients.0.amount may have at most 6 decimals, as USDC has.',
    });
  });

  it('cannot be in another coin or in USDT; the error suggests USD', async () => {
    expect(await refusal({ recipients: [btc({ currency: 'GRAM' })] })).toMatchObject({
      message:
        'The member recipients.0.currency must be BTC, the coin that is sent, or an invoice currency other than USDT, not "GRAM".',
    });
    const usdt = payWithKey('ETH_USDT', { amount: '10', currency: 'USDT', address: ADDRESS.ETH });
    await expect(usdt).rejects.toMatchObject({
      errors: [
        {
          field: 'recipients.0.currency',
          message: expect.stringContaining('state the amount in USD'),
        },
      ],
    });
  });

  it('accept an exchange rate limit in any fiat currency', async () => {
    const limit = (pair: string, exchange_rate: string) => ({
      exchange_rate_limit: { pair, exchange_rate, allowed_difference: '0.001' },
    });
    expect(
      (
        await pay({
          recipients: [btc({ amount: '10', currency: 'EUR', ...limit('BTC:EUR', '40000') })],
        })
      ).status,
    ).toBe('new');
    expect((await pay({ recipients: [btc(limit('BTC:EUR', '40000'))] })).status).toBe('new');
    expect(
      (
        await pay({
          recipients: [btc({ amount: '10', currency: 'EUR', ...limit('BTC:USD', '50000') })],
        })
      ).status,
    ).toBe('new');
    const { message } = await refusal({
      recipients: [btc({ amount: '10', currency: 'EUR', ...limit('ETH:EUR', '2000') })],
    });
    expect(message).toBe(
      'The member recipients.0.exchange_rate_limit.pair must be BTC in a fiat currency, not "ETH:EUR".',
    );
  });

  it('for several recipients are sent in one transaction', async () => {
    const payout = await pay({
      recipients: [btc(), btc({ amount: '0.02' }), btc({ amount: '500', currency: 'USD' })],
    });
    expect(payout.amount.total).toBe('0.04');
    expect(payout.recipients.map(({ amount }) => amount.received.amount)).toEqual([
      '0.01',
      '0.02',
      '0.01',
    ]);
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    expect(
      (await shop.sent(ADDRESS.BTC))
        .filter((output) => output.txid === txid)
        .map(({ amount }) => amount),
    ).toEqual(['0.01', '0.02', '0.01']);
  });

  it('for up to a hundred recipients are accepted', async () => {
    const recipients = Array.from({ length: 101 }, () => btc({ amount: '0.0001' }));
    expect((await pay({ recipients: recipients.slice(1) })).recipients).toHaveLength(100);
    expect(await refusal({ recipients })).toMatchObject({
      reason: 'ValidationError',
      field: 'recipients',
    });
  });

  it('are reduced by the custom fee', async () => {
    const payout = await one('BTC', btc({ fee_amount: '50', fee_currency: 'USD' }));
    expect(payout).toMatchObject({
      amount: { total: '0.009' },
      recipients: [
        {
          custom_fee: { amount: '50', currency: 'USD' },
          amount: { received: { amount: '0.009' } },
        },
      ],
    });
    // A cent is 0.0000166… BNB. The fee rounds up to eight decimals; the credit never rounds up.
    const rounded = await one('BNB', {
      amount: '1',
      currency: 'BNB',
      address: ADDRESS.ETH,
      fee_amount: '0.01',
      fee_currency: 'USD',
    });
    expect(rounded.recipients[0]!.amount.received.amount).toBe('0.99998333');
  });
});

describe('max_payout', () => {
  it('limits the exact USD value of all recipients, to a fraction of a cent', async () => {
    // A hundred times 10.009 dollars; a satoshi is a twentieth of a cent.
    const recipients = Array.from({ length: 100 }, () => btc({ amount: '0.00020018' }));
    const limited = async (first: string) => {
      const payload = {
        recipients: [btc({ amount: first }), ...recipients.slice(1)],
        estimate_only: true,
      };
      return (await shop.payOut(payload, { ...shop.creator, maxPayout: '1000.9' })).status;
    };
    expect([await limited('0.00020018'), await limited('0.00020019')]).toEqual(['new', 'draft']);
  });
});

describe('the network fee', () => {
  it('is deducted from the first recipient who pays it', async () => {
    const payout = await pay({ network_fee_pays: 'recipient', recipients: [btc(), btc()] });
    expect(payout).toMatchObject({
      network_fee_pays: 'recipient',
      amount: { network_fee: '0.000024', total: '0.019976' },
    });
    expect(payout.recipients.map(({ amount }) => amount.received.amount)).toEqual([
      '0.009976',
      '0.01',
    ]);
  });

  it('of a token payout is deducted at the current rate', async () => {
    const payout = await one(
      'ETH_USDT',
      { amount: '100', currency: 'USD', address: ADDRESS.ETH },
      { network_fee_pays: 'recipient' },
    );
    // 0.00065 ETH at 2,500 dollars.
    expect(payout).toMatchObject({ amount: { network_fee: '0.00065', total: '98.37' } });
  });

  it('follows the preset or the requested rate', async () => {
    const fees = [];
    for (const more of [
      { network_fee_preset: 'economy' },
      {},
      { network_fee_preset: 'high' },
      { network_fee: 100 },
    ]) {
      const { amount, network_fee } = await one('BTC', btc(), more);
      fees.push([amount.network_fee, network_fee]);
    }
    expect(fees).toEqual([
      ['0.00000836', 4],
      ['0.0000209', 10],
      ['0.0000418', 20],
      ['0.000209', 100],
    ]);
  });

  it('is rejected as too high when nothing is left or the rate exceeds the maximum', async () => {
    const tiny = { recipients: [btc({ amount: '0.00002' })], network_fee_pays: 'recipient' };
    expect((await refusal(tiny)).reason).toBe('PayoutNetworkFeeTooHigh');
    expect((await refusal({ recipients: [btc()], network_fee: 5_000 })).reason).toBe(
      'PayoutNetworkFeeTooHigh',
    );
  });
});

describe('tags and memos', () => {
  const outsideKeys = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
  const memosOf = async (id: string): Promise<(string | null)[]> => {
    const rows = await shop.context.db
      .selectFrom('payout_recipient')
      .select('memo')
      .where('payout_id', '=', id)
      .execute();
    return rows.map(({ memo }) => memo);
  };

  it('sends an XRP tag from a field, an address with a colon, or an X-address', async () => {
    const r = { amount: '1', currency: 'XRP', address: ADDRESS.XRP };
    const x = 'TVE26TYGhfLC7tQDno7G8dGtxSkYQnSy8RHqGHoGJ59spi2';
    await one('XRP', { ...r, destination_tag: 7 });
    await one('XRP', { ...r, address: `${ADDRESS.XRP}:8` });
    const payout = await one('XRP', { ...r, address: x });
    const { rows } =
      await sql`select address, tag from payout_recipient r join payout p on p.id = r.payout_id
      where p.kind = 'XRP' order by p.number`.execute(shop.context.db);
    expect(rows).toEqual([
      { address: ADDRESS.XRP, tag: '7' },
      { address: ADDRESS.XRP, tag: '8' },
      {
        address: expect.stringMatching(/^r\w{25,}$/) as string,
        tag: expect.stringMatching(/^\d+$/) as string,
      },
    ]);
    expect(payout.recipients[0]!.address).toBe(x);
  });

  it('sends a TON comment from a tag or a memo', async () => {
    const ton = { amount: '10', currency: 'USD', address: ADDRESS.TON };
    expect((await one('TON', { ...ton, destination_tag: 'user 5' })).recipients[0]).toMatchObject({
      destination_tag: 'user 5',
    });
    expect((await one('TON', { ...ton, notes: 'memo: hello' })).recipients[0]!.notes).toBe(
      'memo: hello',
    );
  });

  it('requires equal tag and memo on TON if both are given', async () => {
    const ton = { amount: '10', currency: 'USD', address: ADDRESS.TON, notes: 'memo: user 5' };
    const { id } = await one('TON', { ...ton, destination_tag: 'user 5' });
    expect(await memosOf(id)).toEqual(['user 5']);
    expect(
      await refusal({ kind: 'TON', recipients: [{ ...ton, destination_tag: 'user 6' }] }),
    ).toMatchObject({
      reason: 'ValidationError',
      field: 'recipients.0.notes',
    });
  });

  it.each([
    ['ETH', 'ETH'],
    ['ETH_USDC', 'USDC'],
    ['BNB', 'BNB'],
    ['USDT-BSC', 'USD'],
  ])('stores the memo of %s', async (kind, currency) => {
    const payout = await one(kind, {
      amount: '0.01',
      currency,
      address: ADDRESS.ETH,
      notes: 'memo: invoice 5',
    });
    expect(await memosOf(payout.id)).toEqual(['invoice 5']);
    expect(payout.recipients[0]!.notes).toBe('memo: invoice 5');
  });

  it('limits a memo to 500 bytes', async () => {
    const eth = (message: string) => ({
      amount: '0.01',
      currency: 'ETH',
      address: ADDRESS.ETH,
      notes: `memo:${message}`,
    });
    const longest = 'ä'.repeat(250);
    expect(await memosOf((await one('ETH', eth(longest))).id)).toEqual([longest]);
    expect(await refusal({ kind: 'ETH', recipients: [eth(`${longest}a`)] })).toMatchObject({
      reason: 'ValidationError',
      message: 'The member recipients.0.notes may have a memo of at most 500 bytes.',
      field: 'recipients.0.notes',
    });
  });

  it.each(['ETH-BASE', 'ETH-ARBITRUM', 'POL', 'CELO', 'USDC-BASE', 'TRX', 'SOL', 'XRP', 'L-BTC'])(
    'rejects a memo for %s',
    async (kind) => {
      const { chain } = kindOf(kind)!;
      const { address } = await deriveTarget(outsideKeys, chain, {
        kind,
        index: 0,
        amount: null,
        expirySeconds: 900,
        description: '',
        now: 0,
      });
      expect(
        await refusal({
          kind,
          recipients: [{ amount: '1', currency: 'USD', address, notes: 'memo: hi' }],
        }),
      ).toMatchObject({
        reason: 'ValidationError',
        message: `The member recipients.0.notes begins with memo:, which is for ETH, BSC and TON only, not for ${CHAINS[chain].name}.`,
        field: 'recipients.0.notes',
      });
    },
  );
});

describe('an estimate', () => {
  const estimate = async (payload: object) => {
    const created = await createPayout(shop.context, shop.creator, {
      kind: 'BTC',
      profile_id: shop.profileId,
      recipients: [btc()],
      estimate_only: true,
      ...payload,
    });
    expect(created.type).toBe('estimate');
    return presentEstimate(created.payout);
  };

  it('contains the fee and stores nothing', async () => {
    const before = await shop.holdings('BTC');
    const shown = await estimate({ reference_id: 'estimated' });
    expect(shown).toMatchObject({
      id: null,
      txid: '',
      status: 'new',
      network_fee: 10,
      amount: { total: '0.01', network_fee: '0.0000209' },
    });
    expect(shown.recipients[0]).toMatchObject({
      id: null,
      amount: { received: { amount: '0.01' } },
    });
    expect(await shop.holdings('BTC')).toEqual(before);
    // The reference is still free.
    expect(
      (await pay({ recipients: [btc({ amount: '0.02' })], reference_id: 'estimated' })).amount
        .total,
    ).toBe('0.02');
  });

  it('runs all checks', async () => {
    expect(
      await refusal({ estimate_only: true, recipients: [btc({ amount: '1000' })] }),
    ).toMatchObject({ reason: 'InsufficientFunds' });
    expect(
      await refusal({ estimate_only: true, recipients: [btc({ address: 'nobody' })] }),
    ).toMatchObject({ reason: 'InvalidAddress' });
  });
});

describe('a repeated request', () => {
  it('with the same reference and parameters returns the same payout', async () => {
    const first = await pay({ recipients: [btc()], reference_id: 'a' });
    const repeated = await pay({
      recipients: [btc()],
      reference_id: 'a',
      notes: 'not a member',
      id: 'nor this',
      passthrough: null,
    });
    expect(repeated.id).toBe(first.id);
    expect(
      await refusal({ recipients: [btc({ amount: '0.02' })], reference_id: 'a' }),
    ).toMatchObject({
      reason: 'DuplicateReference',
      field: 'reference_id',
    });
  });

  it('with equal values in another spelling returns the same payout', async () => {
    const limit = { pair: 'BTC:USD', exchange_rate: '50000', allowed_difference: '0.5' };
    const first = await pay({
      recipients: [
        btc({ fee_amount: '0.001', exchange_rate_limit: limit }),
        btc({ fee_amount: '0' }),
      ],
      scheduled_at: later(60),
      reference_id: 'spelled',
    });
    const repeated = await pay({
      wallet_id: null,
      recipients: [
        btc({
          amount: '0.0100',
          fee_amount: '00.0010',
          fee_currency: 'BTC',
          address: ` ${ADDRESS.BTC} `,
          exchange_rate_limit: { ...limit, exchange_rate: 50000, allowed_difference: '0.50' },
        }),
        btc({ notes: null }),
      ],
      network_fee_pays: 'merchant',
      network_fee_preset: 'normal',
      scheduled_at: later(60).replace('Z', '+00:00'),
      reference_id: 'spelled',
    });
    expect(repeated.id).toBe(first.id);
    const others = [
      { network_fee_pays: 'recipient' },
      { network_fee_preset: 'economy' },
      { network_fee: 2 },
      { recipients: [btc()] },
    ];
    const terms = {
      recipients: [btc({ fee_amount: '0.001', exchange_rate_limit: limit }), btc()],
      scheduled_at: later(60),
    };
    for (const other of [...others, { scheduled_at: later(61) }])
      expect(await refusal({ ...terms, ...other, reference_id: 'spelled' })).toMatchObject({
        reason: 'DuplicateReference',
      });
  });

  it('matches the fingerprint of an earlier version', async () => {
    const order = {
      kind: 'BTC',
      profile_id: shop.profileId,
      reference_id: 'kept',
      recipients: [btc({ amount: '0.010' })],
    };
    const first = await pay(order);
    const fingerprint = createHash('sha256').update(JSON.stringify(order)).digest('hex');
    const { numUpdatedRows } = await shop.context.db
      .updateTable('payout')
      .set({ fingerprint: fingerprint })
      .where('id', '=', first.id)
      .executeTakeFirstOrThrow();
    expect(numUpdatedRows).toBe(1n);
    expect((await pay(order)).id).toBe(first.id);
    expect(await refusal({ ...order, recipients: [btc({ amount: '0.02' })] })).toMatchObject({
      reason: 'DuplicateReference',
    });
  });

  it('with the same passthrough returns the same payout if there is no reference', async () => {
    const first = await pay({ recipients: [btc()], passthrough: 'p' });
    expect((await pay({ recipients: [btc()], passthrough: 'p' })).id).toBe(first.id);
    expect(
      await refusal({ recipients: [btc()], passthrough: 'p', network_fee_preset: 'high' }),
    ).toMatchObject({
      reason: 'DuplicateReference',
      field: 'passthrough',
    });
    const other = await pay({
      recipients: [btc()],
      passthrough: 'p',
      reference_id: 'with passthrough',
    });
    expect(other.id).not.toBe(first.id);
  });

  it('sent fifty times concurrently creates one payout', async () => {
    const before = (await shop.holdings('BTC')).reserved;
    const all = await Promise.all(
      Array.from({ length: 50 }, () =>
        createPayout(shop.context, shop.creator, {
          kind: 'BTC',
          profile_id: shop.profileId,
          recipients: [btc()],
          reference_id: 'fifty',
        }),
      ),
    );
    expect(new Set(all.map(({ payout }) => payout.id)).size).toBe(1);
    expect(all.filter(({ type }) => type === 'created')).toHaveLength(1);
    expect(Number((await shop.holdings('BTC')).reserved) - Number(before)).toBeCloseTo(
      0.0100209,
      10,
    );
  });
});

describe('bad input', () => {
  const long = 'x'.repeat(5_000);
  const cases: [string, Record<string, unknown>, string, string | undefined][] = [
    ['no kind', { kind: undefined }, 'ValidationError', 'kind'],
    ['an unknown kind', { kind: 'DOLLAR' }, 'ValidationError', 'kind'],
    ['a kind in another case', { kind: 'btc' }, 'ValidationError', 'kind'],
    ['a kind that is a number', { kind: 5 }, 'ValidationError', 'kind'],
    ['a kind that only invoices have', { kind: 'BTC_LIGHTNING_LNURL' }, 'ValidationError', 'kind'],
    ['no profile', { profile_id: undefined }, 'ValidationError', 'profile_id'],
    [
      'an unknown profile',
      { profile_id: '7f1f2b3c-0000-4000-8000-000000000000' },
      'NotFound',
      'profile_id',
    ],
    ['a malformed profile id', { profile_id: 'default' }, 'NotFound', 'profile_id'],
    [
      'an unknown wallet',
      { wallet_id: '7f1f2b3c-0000-4000-8000-000000000000' },
      'NotFound',
      'wallet_id',
    ],
    ['a malformed wallet id', { wallet_id: 'main' }, 'NotFound', 'wallet_id'],
    ['no recipients', { recipients: undefined }, 'ValidationError', 'recipients'],
    ['an empty list', { recipients: [] }, 'ValidationError', 'recipients'],
    ['recipients that are not a list', { recipients: 'all' }, 'ValidationError', 'recipients'],
    ['a null recipient', { recipients: [null] }, 'ValidationError', 'recipients.0'],
    [
      'no amount',
      { recipients: [btc({ amount: undefined })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'an amount of zero',
      { recipients: [btc({ amount: '0' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'a negative amount',
      { recipients: [btc({ amount: '-1' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'an exponent',
      { recipients: [btc({ amount: '1e-2' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    ['spaces', { recipients: [btc({ amount: ' 1' })] }, 'ValidationError', 'recipients.0.amount'],
    ['a comma', { recipients: [btc({ amount: '0,1' })] }, 'ValidationError', 'recipients.0.amount'],
    [
      'more than 18 digits',
      { recipients: [btc({ amount: '1234567890123456789' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'more decimals than the coin has',
      { recipients: [btc({ amount: '0.123456789' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'more decimals than the currency has',
      { recipients: [btc({ amount: '1.005', currency: 'EUR' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'dust',
      { recipients: [btc({ amount: '0.000005' })] },
      'ValidationError',
      'recipients.0.amount',
    ],
    [
      'a huge amount',
      { recipients: [btc({ amount: '9'.repeat(18), currency: 'USD' })] },
      'InsufficientFunds',
      undefined,
    ],
    [
      'no currency',
      { recipients: [btc({ currency: undefined })] },
      'ValidationError',
      'recipients.0.currency',
    ],
    [
      'an unknown currency',
      { recipients: [btc({ currency: 'XXX' })] },
      'ValidationError',
      'recipients.0.currency',
    ],
    [
      'USDT as the currency',
      { recipients: [btc({ currency: 'USDT' })] },
      'ValidationError',
      'recipients.0.currency',
    ],
    [
      'no address',
      { recipients: [btc({ address: undefined })] },
      'ValidationError',
      'recipients.0.address',
    ],
    [
      'an empty address',
      { recipients: [btc({ address: '' })] },
      'ValidationError',
      'recipients.0.address',
    ],
    [
      'an invalid address',
      { recipients: [btc({ address: 'somewhere' })] },
      'InvalidAddress',
      'recipients.0.address',
    ],
    [
      'a wrong checksum',
      { recipients: [btc({ address: ADDRESS.BTC.replace(/.$/, 'q') })] },
      'InvalidAddress',
      'recipients.0.address',
    ],
    [
      'a main network’s address',
      { recipients: [btc({ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })] },
      'InvalidAddress',
      'recipients.0.address',
    ],
    [
      'another chain’s address',
      { recipients: [btc(), btc({ address: ADDRESS.ETH })] },
      'InvalidAddress',
      'recipients.1.address',
    ],
    [
      'a NUL',
      { recipients: [btc({ address: 'a\0b' })] },
      'ValidationError',
      'recipients.0.address',
    ],
    [
      'a wrong EIP-55 checksum',
      { kind: 'ETH', recipients: [btc({ address: ADDRESS.ETH.replace('EE7', 'ee7') })] },
      'InvalidAddress',
      'recipients.0.address',
    ],
    [
      'a fee above the amount',
      { recipients: [btc({ fee_amount: '0.01', fee_currency: 'BTC' })] },
      'ValidationError',
      'recipients.0.fee_amount',
    ],
    [
      'a fee in an unknown currency',
      { recipients: [btc({ fee_amount: '1', fee_currency: 'XXX' })] },
      'ValidationError',
      'recipients.0.fee_currency',
    ],
    [
      'a malformed fee',
      { recipients: [btc({ fee_amount: 'some' })] },
      'ValidationError',
      'recipients.0.fee_amount',
    ],
    [
      'a tag on Bitcoin',
      { recipients: [btc({ destination_tag: '5' })] },
      'ValidationError',
      'recipients.0.destination_tag',
    ],
    [
      'a malformed tag',
      {
        kind: 'XRP',
        recipients: [{ amount: '1', currency: 'XRP', address: ADDRESS.XRP, destination_tag: 'x' }],
      },
      'ValidationError',
      'recipients.0.destination_tag',
    ],
    [
      'a tag beyond 32 bits',
      {
        kind: 'XRP',
        recipients: [
          { amount: '1', currency: 'XRP', address: ADDRESS.XRP, destination_tag: 4294967296 },
        ],
      },
      'ValidationError',
      'recipients.0.destination_tag',
    ],
    [
      'two tags',
      {
        kind: 'XRP',
        recipients: [
          { amount: '1', currency: 'XRP', address: `${ADDRESS.XRP}:1`, destination_tag: 2 },
        ],
      },
      'ValidationError',
      'recipients.0.destination_tag',
    ],
    [
      'a memo on Bitcoin',
      { recipients: [btc({ notes: 'memo: hi' })] },
      'ValidationError',
      'recipients.0.notes',
    ],
    [
      'an empty memo',
      {
        kind: 'ETH',
        recipients: [btc({ currency: 'ETH', address: ADDRESS.ETH, notes: 'memo: ' })],
      },
      'ValidationError',
      'recipients.0.notes',
    ],
    ['long notes', { recipients: [btc({ notes: long })] }, 'ValidationError', 'recipients.0.notes'],
    [
      'an incomplete exchange rate limit',
      { recipients: [btc({ exchange_rate_limit: { pair: 'BTC' } })] },
      'ValidationError',
      'recipients.0.exchange_rate_limit.pair',
    ],
    [
      'a pair with an unknown coin',
      {
        recipients: [
          btc({
            exchange_rate_limit: { pair: 'XXX:USD', exchange_rate: '1', allowed_difference: '1' },
          }),
        ],
      },
      'ValidationError',
      'recipients.0.exchange_rate_limit.pair',
    ],
    [
      'a rate of another coin',
      {
        recipients: [
          btc({
            amount: '1',
            currency: 'BTC',
            exchange_rate_limit: { pair: 'ETH:USD', ...ANY_RATE },
          }),
        ],
      },
      'ValidationError',
      'recipients.0.exchange_rate_limit.pair',
    ],
    [
      'a rate in another coin',
      {
        recipients: [
          btc({
            amount: '1',
            currency: 'USD',
            exchange_rate_limit: { pair: 'BTC:ETH', ...ANY_RATE },
          }),
        ],
      },
      'ValidationError',
      'recipients.0.exchange_rate_limit.pair',
    ],
    [
      'a pair without the coin that is sent',
      {
        recipients: [
          btc({
            amount: '1',
            currency: 'ETH',
            exchange_rate_limit: { pair: 'LTC:USD', ...ANY_RATE },
          }),
        ],
      },
      'ValidationError',
      'recipients.0.exchange_rate_limit.pair',
    ],
    [
      'a rate outside the limit',
      {
        recipients: [
          btc({
            exchange_rate_limit: {
              pair: 'BTC:USD',
              exchange_rate: '60000',
              allowed_difference: '0.05',
            },
          }),
        ],
      },
      'ExchangeRateLimitExceeded',
      undefined,
    ],
    ['an unknown fee payer', { network_fee_pays: 'nobody' }, 'ValidationError', 'network_fee_pays'],
    ['an unknown preset', { network_fee_preset: 'turbo' }, 'ValidationError', 'network_fee_preset'],
    ['a fee of zero', { network_fee: 0 }, 'ValidationError', 'network_fee'],
    ['a fractional fee rate', { network_fee: 1.5 }, 'ValidationError', 'network_fee'],
    [
      'a fee rate on Ethereum',
      { kind: 'ETH', network_fee: 5, recipients: [btc({ currency: 'ETH', address: ADDRESS.ETH })] },
      'ValidationError',
      'network_fee',
    ],
    ['a malformed estimate_only', { estimate_only: 'yes' }, 'ValidationError', 'estimate_only'],
    ['a long passthrough', { passthrough: long }, 'ValidationError', 'passthrough'],
    ['a passthrough with NUL', { passthrough: 'a\0' }, 'ValidationError', 'passthrough'],
    ['a lone surrogate', { passthrough: '\ud800' }, 'ValidationError', 'passthrough'],
    ['a long reference', { reference_id: 'x'.repeat(257) }, 'ValidationError', 'reference_id'],
    ['an empty reference', { reference_id: '' }, 'ValidationError', 'reference_id'],
    ['a reference that is a number', { reference_id: 5 }, 'ValidationError', 'reference_id'],
    ['a malformed time', { scheduled_at: 'tomorrow' }, 'ValidationError', 'scheduled_at'],
    [
      'a time in the past',
      { scheduled_at: '2020-01-01T00:00:00Z' },
      'ValidationError',
      'scheduled_at',
    ],
    [
      'a time too far in the future',
      { scheduled_at: '2050-01-01T00:00:00Z' },
      'ValidationError',
      'scheduled_at',
    ],
    [
      'more than the balance',
      { recipients: [btc({ amount: '11' })] },
      'InsufficientFunds',
      undefined,
    ],
    [
      'a coin without a balance',
      { kind: 'SOL', recipients: [{ amount: '1', currency: 'SOL', address: ADDRESS.SOL }] },
      'InsufficientFunds',
      undefined,
    ],
  ];

  it.each(cases)('rejects %s and changes nothing', async (_, payload, reason, field) => {
    expect(await refusal({ recipients: [btc()], ...payload })).toMatchObject({ reason, field });
  });

  it('names the chain of an address that is for another coin', async () => {
    expect(await refusal({ recipients: [btc({ address: ADDRESS.LTC })] })).toMatchObject({
      reason: 'InvalidAddress',
      field: 'recipients.0.address',
      message: `Invalid Bitcoin address on testnet: "${ADDRESS.LTC}" is an address of Litecoin; name one of Bitcoin.`,
    });
  });

  it('rejects a wallet of another chain', async () => {
    const { id } = await shop.context.db
      .selectFrom('wallet')
      .select('id')
      .where('chain', '=', 'litecoin')
      .executeTakeFirstOrThrow();
    expect(await refusal({ wallet_id: id, recipients: [btc()] })).toMatchObject({
      reason: 'ValidationError',
      field: 'wallet_id',
    });
    const own = await shop.context.db
      .selectFrom('wallet')
      .select('id')
      .where('chain', '=', 'bitcoin')
      .executeTakeFirstOrThrow();
    expect((await pay({ wallet_id: own.id, recipients: [btc()] })).wallet_id).toBe(own.id);
  });

  it('rejects a coin that is not enabled, with the text that published clients match', async () => {
    await shop.context.db.deleteFrom('profile_currency').where('kind', '=', 'LTC').execute();
    const { reason, message } = await refusal({
      kind: 'LTC',
      recipients: [{ amount: '1', currency: 'LTC', address: ADDRESS.LTC }],
    });
    expect(reason).toBe('CurrencyNotEnabled');
    expect(message).toContain("doesn't support selected payment currency");
  });

  it.each([
    ['ETH', kindOf('ETH_SHIB')!.contract!],
    ['ETH_USDT', kindOf('ETH_USDT')!.contract!.toLowerCase()],
    ['TRX', kindOf('USDT-TRX')!.contract!],
  ])(
    'rejects a token contract as the recipient of %s unless the profile allows it',
    async (kind, address) => {
      const { profileId, context } = shop;
      const allow = (allowed: boolean) =>
        context.db
          .updateTable('profile')
          .set({ allow_smart_contract_payouts: allowed })
          .where('id', '=', profileId)
          .execute();
      const recipients = [{ amount: '1', currency: 'USD', address }];
      await shop.fund('TRX', '100');
      expect(await refusal({ kind, recipients })).toMatchObject({
        reason: 'InvalidAddress',
        field: 'recipients.0.address',
      });
      await allow(true);
      expect((await pay({ kind, recipients })).status).toBe('new');
      await allow(false);
      // A contract of another chain is an ordinary address on this one.
      expect(
        (
          await pay({
            kind: 'BNB',
            recipients: [{ amount: '1', currency: 'USD', address: kindOf('ETH_SHIB')!.contract! }],
          })
        ).status,
      ).toBe('new');
    },
  );

  it('ignores members that only answers have', async () => {
    const payout = await pay({
      recipients: [btc()],
      status: 'complete',
      txid: 'x',
      approved_by: { username: 'me' },
      id: 'mine',
      hold: 'none',
    });
    expect(payout).toMatchObject({ status: 'new', txid: '', approved_by: null });
    expect(payout.id).not.toBe('mine');
  });
});
