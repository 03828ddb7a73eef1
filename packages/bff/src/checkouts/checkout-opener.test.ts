import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  ORDER_SECRET,
  SHOP_ORIGIN,
  SHOP_SECRET,
  choose,
  open,
  setUp,
  token,
} from '../../test/support/bench.ts';

const DAY = 24 * 3600;

/** The same token with its signature in standard base64, as some libraries write it. */
function inBase64(order: string): string {
  const [header, payload, signature = ''] = order.split('.');
  return `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`;
}

describe('an order token', () => {
  const hostile: Record<string, () => string> = {
    'with another amount under an old signature': () => {
      const [head = '', , signature = ''] = token().split('.');
      const payload = Buffer.from(
        JSON.stringify({ order_id: 'A-1', amount: '0.01', currency: 'USD', exp: 2e9 }),
      ).toString('base64url');
      return `${head}.${payload}.${signature}`;
    },
    'with algorithm none': () => {
      const [, payload = ''] = token().split('.');
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    },
    'with algorithm none and a right signature': () => token({}, { header: { alg: 'none' } }),
    'with another algorithm': () => token({}, { header: { alg: 'HS512' } }),
    'signed with nothing': () => token({}, { secret: '' }),
    "signed with the shop's secret": () => token({}, { secret: SHOP_SECRET }),
    'without an expiry': () => token({ exp: undefined as unknown as number }),
    'with an expiry that is a text': () => token({ exp: 'never' as unknown as number }),
    'that has expired': () => token({ exp: Date.parse('2026-11-21T07:59:59Z') / 1000 }),
    'without a signature': () => token().split('.').slice(0, 2).join('.'),
    'with a part too many': () => `${token()}.x`,
    'with an amount below zero': () => token({ amount: '-1' }),
    'with an amount of zero': () => token({ amount: '0' }),
    'with an exponent': () => token({ amount: '1e9' }),
    'with more decimals than the currency': () => token({ amount: '1.001' }),
    'in an unknown currency': () => token({ currency: 'XXX' }),
    'with an unknown coin': () => token({ kinds: ['GOLD'] }),
    'without an order': () => token({ order_id: '' }),
    'that is endless': () => `${'a'.repeat(9000)}.b.c`,
    'that is no token': () => 'x',
  };
  for (const [name, make] of Object.entries(hostile)) {
    it(`${name} opens nothing`, async () => {
      const bench = setUp();
      const { status, body } = await bench.post('/checkouts', { order: make() });
      expect([400, 401]).toContain(status);
      expect(body).toMatchObject({
        result: 'error',
        reason: expect.any(String),
        message: expect.any(String),
        request_id: expect.any(String),
      });
      expect(await bench.store.list('checkout/', '', 10)).toEqual([]);
    });
  }

  it.each([
    [
      'a wrong signature',
      token({}, { secret: 'other' }),
      401,
      'InvalidApiKey',
      null,
      "The signature of the order token does not match: it is signed with another secret than this server's ORDER_SECRET, or was changed.",
    ],
    [
      'an expiry that has passed',
      token({ exp: Date.parse('2026-11-21T07:59:59Z') / 1000 }),
      400,
      'ValidationError',
      'exp',
      `The order token of "A-1" expired at 2026-11-21T07:59:59Z, and it is 2026-11-21T08:00:00Z: the shop's server signs a new one for each page.`,
    ],
    [
      'no expiry',
      token({ exp: undefined as unknown as number }),
      400,
      'ValidationError',
      'exp',
      'The order token of "A-1": exp is missing, and must be the seconds since the epoch, not milliseconds, as a number.',
    ],
    [
      'a wrong amount',
      token({ amount: '1e9' }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount must be a decimal string above zero, such as "12.50", not "1e9".',
    ],
    [
      'an amount with a needless zero',
      token({ amount: '01.50' }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount must be a decimal string without needless zeros in front, such as "12.50", not "01.50".',
    ],
    [
      'an empty order_id',
      token({ order_id: '' }),
      400,
      'ValidationError',
      'order_id',
      'The order token: order_id must be a text of 1 to 200 characters, without U+0000, not "".',
    ],
    [
      'an empty currency',
      token({ currency: '' }),
      400,
      'ValidationError',
      'currency',
      'The order token of "A-1": currency must be a text of 1 to 12 characters, without U+0000, not "".',
    ],
    [
      'a time from which it holds that is to come',
      token({ nbf: Date.parse('2026-11-21T08:01:01Z') / 1000 }),
      400,
      'ValidationError',
      'nbf',
      'The order token of "A-1" holds from 2026-11-21T08:01:01Z (nbf), and it is 2026-11-21T08:00:00Z: the clocks of both servers must agree.',
    ],
    [
      'a time from which it holds that is a text',
      token({ nbf: 'now' }),
      400,
      'ValidationError',
      'nbf',
      'The order token of "A-1": nbf must be the seconds since the epoch, not milliseconds, as a number, not "now".',
    ],
    [
      'no amount',
      token({ amount: undefined as unknown as string }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount is missing, and must be a decimal string above zero, such as "12.50".',
    ],
    [
      'an amount that is misspelt',
      token({ amount: undefined as unknown as string, ammount: '5.00' }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount is missing (ammount is unknown), and must be a decimal string above zero, such as "12.50".',
    ],
    [
      'too many decimals',
      token({ amount: '1.001' }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount must have at most 2 decimals in USD, not "1.001".',
    ],
    [
      'a currency in small letters',
      token({ currency: 'usd' }),
      400,
      'ValidationError',
      'currency',
      'The order token of "A-1": currency must be "USD", in capitals, not "usd".',
    ],
    [
      'a claim that is misspelt',
      token({ sucess_url: 'https://shop.example/thanks' }),
      400,
      'ValidationError',
      'sucess_url',
      'The order token of "A-1": sucess_url is unknown; is success_url meant?',
    ],
    [
      'another algorithm',
      token({}, { header: { alg: 'HS512' } }),
      400,
      'InvalidPayload',
      null,
      'The algorithm of an order token is HS256.',
    ],
    [
      'another form',
      'x',
      400,
      'InvalidPayload',
      null,
      'The order token is not a JWT of three parts, but "x".',
    ],
    [
      'a promise instead of the token',
      '[object Promise]',
      400,
      'InvalidPayload',
      null,
      'The order token is not a JWT of three parts, but "[object Promise]".',
    ],
    [
      'an amount that is too long',
      token({ amount: '99999999999999999999' }),
      400,
      'ValidationError',
      'amount',
      'The order token of "A-1": amount must have at most 18 digits before and 18 after the decimal point, not "99999999999999999999".',
    ],
    [
      'a signature in base64',
      inBase64(token()),
      401,
      'InvalidApiKey',
      null,
      'The signature of the order token does not match: it is in base64, and has to be in base64url.',
    ],
  ])(
    'with %s gets an error that names the mistake',
    async (_, order, code, reason, field, message) => {
      const { status, body } = await setUp().post('/checkouts', { order });
      expect([status, body.reason, body.message, body.errors ?? null]).toEqual([
        code,
        reason,
        message,
        field && [{ field, message }],
      ]);
    },
  );

  it('in an unknown currency gets the list of currencies', async () => {
    const { body } = await setUp().post('/checkouts', { order: token({ currency: 'XXX' }) });
    expect(body.message).toMatch(
      /^The order token of "A-1": currency must be one of USD, EUR, .*, not "XXX"\.$/,
    );
  });

  it('does not count as a failure of the address when it has expired', async () => {
    const bench = setUp({ rateLimit: { perSecond: 20, burst: 60 } });
    const old = token({ exp: Date.parse('2026-11-21T07:00:00Z') / 1000 });
    for (let visits = 0; visits < 12; visits += 1)
      expect((await bench.post('/checkouts', { order: old })).status).toBe(400);
    expect((await bench.post('/checkouts', { order: token() })).status).toBe(201);
  });

  it('that has expired opens an existing checkout with the same terms', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    bench.advance(DAY);
    const again = await bench.post('/checkouts', { order: token() });
    expect([again.status, again.body.id]).toEqual([201, id]);
    expect((await bench.post('/checkouts', { order: token({ order_id: 'A-2' }) })).status).toBe(
      400,
    );
    expect((await bench.post('/checkouts', { order: token({ amount: '1' }) })).status).toBe(409);
  });

  it('with other terms gets the names of the changed terms', async () => {
    const bench = setUp();
    await open(bench);
    const { status, body } = await bench.post('/checkouts', {
      order: token({ amount: '51', description: 'A mug' }),
    });
    expect([status, body.reason, body.errors.map(({ field }: { field: string }) => field)]).toEqual(
      [409, 'DuplicateReference', ['amount', 'description']],
    );
    expect(body.message).toBe(
      "This order was opened before with other terms: amount and description changed. Use a new order_id, or replace them with the shop's secret.",
    );
  });

  it('opens the same checkout again and creates no second invoice', async () => {
    const bench = setUp();
    const order = token();
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await bench.post('/checkouts', { order })).body.id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(bench.service.invoices).toHaveLength(0);
  });

  it('limits the coins to its `kinds`', async () => {
    const bench = setUp();
    const { id, coins } = await open(bench, { kinds: ['LTC', 'ETH'] });
    expect(coins.map((coin: { kind: string }) => coin.kind)).toEqual(['ETH', 'LTC']);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).status).toBe(400);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'ETH' })).status).toBe(200);
  });
});

describe("the shop's secret", () => {
  const order = { order_id: 'S-1', amount: '10', currency: 'EUR' };

  it('opens an order as an object', async () => {
    const bench = setUp();
    const { status, body } = await bench.post(
      '/checkouts',
      { order },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    expect([status, body.order.amount]).toEqual([201, { amount: '10.00', currency: 'EUR' }]);
  });

  it.each([
    '12.5',
    '12.50',
    '0.30000000000000004',
    '1e3',
    '-1',
    '"12,50"',
    '"12.50"',
    '"07"',
    '0',
    'null',
    '"abc"',
  ])(
    'takes and refuses the amount %s as an order token does, in the same words',
    async (amount) => {
      const json = `{"order_id":"S-1","amount":${amount},"currency":"EUR","exp":2000000000}`;
      const head = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(json).toString('base64url')}`;
      const signed = `${head}.${createHmac('sha256', ORDER_SECRET).update(head).digest('base64url')}`;
      const byToken = await setUp().post('/checkouts', { order: signed });
      const bySecret = await setUp().post('/checkouts', `{"order":${json}}`, {
        authorization: `Bearer ${SHOP_SECRET}`,
      });
      const said = ({ status, body }: typeof byToken) => [
        status,
        body.order?.amount,
        body.errors?.[0].field,
      ];
      expect(said(bySecret)).toEqual(said(byToken));
      // A number of the body becomes a text in the claims of the token.
      const words = ({ body }: typeof byToken) =>
        body.message?.replace('The order token of', 'The order of').replaceAll('"', '');
      expect(words(bySecret)).toBe(words(byToken));
    },
  );

  it('finds the checkout of an order by its order_id alone', async () => {
    const bench = setUp();
    const { id } = await open(bench, { order_id: 'A 7' });
    const authorization = `Bearer ${SHOP_SECRET}`;
    const found = await bench.post('/checkouts', { order: { order_id: 'A 7' } }, { authorization });
    expect([found.status, found.body.id]).toEqual([201, id]);
    const none = await bench.post('/checkouts', { order: { order_id: 'A 8' } }, { authorization });
    expect([none.status, none.body.reason]).toEqual([404, 'NotFound']);
    expect(none.body.message).toMatch(/amount and currency/);
    const withoutSecret = await bench.post('/checkouts', { order: { order_id: 'A 7' } });
    expect(withoutSecret.status).toBe(401);
  });

  it('names the members that differ once a payment has started', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'BTC', { description: 'Mug' });
    bench.service.pay(payment.invoice_id);
    await bench.call('invoice_pending', payment.invoice_id);
    const order = { order_id: 'A-1', amount: '50', currency: 'USD' };
    const authorization = `Bearer ${SHOP_SECRET}`;
    const { status, body } = await bench.post('/checkouts', { order }, { authorization });
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect(body.message).toMatch(/its terms are fixed: description changed/);
    expect(body.errors).toEqual([{ field: 'description', message: 'description changed' }]);
  });

  it('asks for JSON when the content type is missing, as with `curl -d`', async () => {
    const { status, body } = await setUp().post('/checkouts', '{"order":{}}', {
      authorization: `Bearer ${SHOP_SECRET}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, body.message]).toEqual([415, 'The content type must be application/json.']);
  });

  it('names SHOP_SECRET when the secret is wrong', async () => {
    const bench = setUp();
    const order = { order_id: 'A-1', amount: '50', currency: 'USD' };
    const { body } = await bench.post('/checkouts', { order }, { authorization: 'Bearer wrong' });
    expect(body.message).toMatch(/not the SHOP_SECRET of this server/);
  });

  it('reports a misspelt member, and all mistakes at once', async () => {
    const authorization = `Bearer ${SHOP_SECRET}`;
    const misspelt = await setUp().post(
      '/checkouts',
      { order: { ...order, successUrl: 'https://shop.example/' } },
      { authorization },
    );
    expect([misspelt.status, misspelt.body.message]).toEqual([
      400,
      'The order of "S-1": successUrl is unknown; is success_url meant?',
    ]);
    const wrong = await setUp().post(
      '/checkouts',
      { order: { order_id: 'S-1', amount: '1', currency: 'eur', kinds: ['btc'] } },
      { authorization },
    );
    expect(wrong.body.errors).toEqual([
      {
        field: 'currency',
        message: 'The order of "S-1": currency must be "EUR", in capitals, not "eur".',
      },
      {
        field: 'kinds.0',
        message: 'The order of "S-1": kinds.0 must be "BTC", in capitals, not "btc".',
      },
    ]);
  });

  for (const [name, header] of Object.entries({
    'a wrong secret': 'Bearer wrong',
    'an empty secret': 'Bearer ',
    'another scheme': `Basic ${SHOP_SECRET}`,
    'the order secret': `Bearer ${ORDER_SECRET}`,
    'no secret': '',
  }))
    it(`refuses ${name}`, async () => {
      const bench = setUp();
      const { status, body } = await bench.post(
        '/checkouts',
        { order },
        header ? { authorization: header } : {},
      );
      expect([status, body.reason]).toEqual([401, 'InvalidApiKey']);
    });

  it('resists guessing', async () => {
    const bench = setUp({ rateLimit: { perSecond: 20, burst: 60 } });
    const statuses = [];
    for (let tries = 0; tries < 15; tries += 1)
      statuses.push(
        (await bench.post('/checkouts', { order }, { authorization: `Bearer guess-${tries}` }))
          .status,
      );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
    // The valid secret is delayed as well: this makes guessing slow.
    const { status, headers } = await bench.post(
      '/checkouts',
      { order },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  });
});

describe('a checkout id', () => {
  it('cannot be guessed or forged', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const wrong = createHmac('sha256', 'another secret').update('A-1').digest('hex');
    for (const guess of [
      'A-1',
      id.toUpperCase(),
      `${id}a`,
      id.slice(1),
      'a'.repeat(26),
      wrong,
      '..',
      '%2e%2e%2fcredentials',
      '%00',
      'x'.repeat(5000),
    ]) {
      const { status, body } = await bench.get(`/checkouts/${guess}`);
      expect([guess.slice(0, 30), status]).toEqual([guess.slice(0, 30), 404]);
      expect(body.reason).toBe('NotFound');
    }
  });
});

describe('a body', () => {
  it('that is too large, of another type or not JSON gets a 4xx', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const send = async (body: string, type: string) =>
      (await bench.post('/checkouts', body, { 'content-type': type })).status;
    expect(await send(JSON.stringify({ order: 'x'.repeat(100_000) }), 'application/json')).toBe(
      413,
    );
    expect(await send('{"order":', 'application/json')).toBe(400);
    expect(await send('order=x', 'text/plain')).toBe(415);
    expect(await send('<order/>', 'application/xml')).toBe(415);
    expect(await send('{}', '')).toBe(415);
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    const request = new Request('http://pay.test/checkouts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: chunked,
      duplex: 'half',
    } as RequestInit);
    expect((await bench.bff.request(request)).status).toBe(413);
    const invalidUtf8 = new Request('http://pay.test/checkouts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([123, 255, 254, 125]),
    });
    expect((await bench.bff.request(invalidUtf8)).status).toBe(400);
    for (const body of [
      '{}',
      '{"kind":5}',
      '{"kind":""}',
      `{"kind":"${'x'.repeat(65)}"}`,
      '{"__proto__":{"kind":"BTC"}}',
      '[]',
      '"BTC"',
    ])
      expect((await bench.post(`/checkouts/${id}/payment`, body)).status).toBe(400);
  });

  it('without order, item or offer gets an error that lists them', async () => {
    const said = async (body: object) => {
      const answer = await setUp().post('/checkouts', body);
      expect([answer.status, answer.body.reason]).toEqual([400, 'ValidationError']);
      return answer.body.message;
    };
    for (const body of [{}, { order_id: 'A-1', amount: '1', currency: 'USD' }])
      expect(await said(body)).toMatch(/^The body must contain "order", .* "item" .* "offer"\.$/);
    expect(await said({ ordr: token() })).toBe('ordr is unknown; is order meant?');
    expect(await said({ order: 5 })).toMatch(/^order must be an order token .*, not 5\.$/);
    expect(await said({ order: 'x'.repeat(8193) })).toMatch(
      /^order must be an order token of up to 8192 characters/,
    );
    expect(await said({ offer: 5 })).toBe('offer must be an object, not 5.');
    expect(await said([])).toBe('The body must be an object.');
  });

  it('never gets a message of a library', async () => {
    const bench = setUp({
      catalogue: { mug: { description: 'Mug', amount: '1', currency: 'USD' } },
      allowClientPrices: true,
    });
    const { id } = await open(bench);
    const said = async (path: string, body: object) => {
      const answer = await bench.post(path, body, { origin: SHOP_ORIGIN });
      expect([answer.status, answer.body.reason]).toEqual([400, 'ValidationError']);
      expect(JSON.stringify(answer.body)).not.toMatch(/expected|Invalid|Too |Unrecognized/);
      return answer.body.message;
    };
    const choose = (body: object) => said(`/checkouts/${id}/payment`, body);
    expect(await choose({})).toBe('kind is missing, and must be a text.');
    expect(await choose({ kind: 5 })).toBe('kind must be a text, not 5.');
    expect(await choose({ kind: '' })).toBe('kind must have at least 1 character, not "".');
    expect(await choose({ kind: 'x'.repeat(65) })).toMatch(
      /^kind must have at most 64 characters, not "x/,
    );
    expect(await choose({ kind: 'BTC', from: 'bank' })).toBe(
      'from must be "wallet" or "exchange", not "bank".',
    );
    expect(await choose([])).toBe('The body must be an object.');
    expect(await said(`/checkouts/${id}/renew`, { extend: 'yes' })).toBe(
      'extend must be true or false, not "yes".',
    );
    expect(await said('/checkouts', { order: token(), success_url: 5 })).toBe(
      'success_url must be a text, not 5.',
    );
    expect(await said('/checkouts', { offer: { product: '' } })).toMatch(
      /^offer\.product must have at least 1 character/,
    );
    expect(await said('/checkouts', { offer: { amount: '1', currency: 5 } })).toBe(
      'offer.currency must be a text, not 5.',
    );
    expect(
      await said('/checkouts', { offer: { amount: '1', currency: 'USD', passthrough: 1 } }),
    ).toBe('offer.passthrough must be a text, an object or a list, not 1.');
    expect(await said('/sdk/v1/invoices/status/', { id: 5 })).toBe('id must be a text, not 5.');
    expect(await said('/sdk/v1/invoices/status/', { id })).toMatch(
      /^id must be the id of an invoice, such as payment\.invoice_id of a checkout;/,
    );
  });

  it('other methods get 405 with the allowed ones', async () => {
    const bench = setUp();
    for (const [method, path, allow] of [
      ['GET', '/checkouts', 'POST, OPTIONS'],
      ['DELETE', '/checkouts/x', 'GET, HEAD, OPTIONS'],
      ['GET', '/callbacks', 'POST'],
      ['PUT', '/sdk/v1/invoices/status/', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await bench.bff.request(path, { method });
      expect([
        answer.status,
        answer.headers.get('allow'),
        ((await answer.json()) as { reason: string }).reason,
      ]).toEqual([405, allow, 'MethodNotAllowed']);
    }
    expect((await bench.get('/nothing/here')).status).toBe(404);
  });
});
