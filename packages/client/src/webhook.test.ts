import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import vectors from '../../protocol/test/vectors/callback.json' with { type: 'json' };
import { verifyCallback, verifyWebhook } from './webhook.ts';

const KEY = Buffer.from('a key of the shop');
const SECRET = `whsec_${KEY.toString('base64')}`;
const NOW = 1_795_219_200;
const EVENT = {
  event: 'checkout.paid',
  checkout_id: 'c',
  order_id: '1001',
  amount: '19.90',
  currency: 'EUR',
  network: 'testnet',
  stage: 'paid',
  notes: [],
};

describe('webhook of the shop', () => {
  test('is parsed with a valid signature', async () => {
    const { id, event } = await verifyWebhook(signed(JSON.stringify(EVENT)), SECRET);
    expect(id).toBe('msg_1');
    expect(event).toMatchObject({ event: 'checkout.paid', order_id: '1001' });
  });

  test('is rejected with a changed character, with another secret, and when it is old', async () => {
    const received = signed(JSON.stringify(EVENT));
    await expect(
      verifyWebhook({ ...received, body: received.body.replace('19.90', '19.91') }, SECRET),
    ).rejects.toThrow(/does not match/);
    await expect(
      verifyWebhook(received, `whsec_${Buffer.from('other').toString('base64')}`),
    ).rejects.toThrow(/does not match/);
    await expect(verifyWebhook({ ...received, now: (NOW + 301) * 1000 }, SECRET)).rejects.toThrow(
      /seconds from now/,
    );
    for (const none of ['', undefined])
      await expect(verifyWebhook(received, none)).rejects.toThrow(/no secret/);
    await expect(verifyWebhook({ ...received, headers: {} }, SECRET)).rejects.toThrow(/missing/);
  });

  test('is parsed from bytes as well, with all characters', async () => {
    const received = signed(JSON.stringify({ ...EVENT, order_id: 'Größe-漢' }));
    const bytes = new TextEncoder().encode(received.body);
    for (const body of [Buffer.from(received.body), bytes, bytes.buffer])
      expect((await verifyWebhook({ ...received, body }, SECRET)).event.order_id).toBe('Größe-漢');
    const marked = signed(`\uFEFF${received.body}`);
    await expect(
      verifyWebhook({ ...received, body: Buffer.from(marked.body) }, SECRET),
    ).rejects.toThrow(/does not match/);
  });

  test('explains a rejection', async () => {
    const received = signed(JSON.stringify(EVENT));
    const why = async (more: object): Promise<string> => {
      const error = await verifyWebhook({ ...received, ...more }, SECRET).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ name: 'WebhookError' });
      return (error as Error).message;
    };
    expect(await why({ body: JSON.stringify(EVENT, null, 2) })).toMatch(
      /does not match: .*SHOP_WEBHOOK_SECRET.* exactly what was received/,
    );
    expect(await why({ body: EVENT })).toMatch(/not a parsed object: .*express\.raw/);
    for (const body of [undefined, null])
      expect(await why({ body })).toMatch(/as they were received, not (?:undefined|null): /);
    for (const body of ['', Buffer.alloc(0)])
      expect(await why({ body })).toMatch(/the body is empty/);
    for (const headers of [undefined, null, 'x'])
      expect(await why({ headers })).toMatch(/no headers: pass \{headers, body\}/);
    for (const name of Object.keys(received.headers))
      for (const headers of [
        { ...received.headers, [name]: undefined },
        new Headers(Object.entries(received.headers).filter(([key]) => key !== name)),
      ])
        expect(await why({ headers })).toMatch(new RegExp(`^${name}: missing`));
    expect(await why({ headers: {} })).toMatch(
      /^webhook-id, webhook-timestamp, webhook-signature: missing/,
    );
  });

  test('has event names that the compiler checks', async () => {
    const { event } = await verifyWebhook(signed(JSON.stringify(EVENT)), SECRET);
    // @ts-expect-error misspelt
    expect(event.event === 'checkout.payed').toBe(false);
  });

  test.each(['hello', '5', 'null', '[]', '{"event":5}'])(
    'is rejected without an event: %s',
    async (body) => {
      await expect(verifyWebhook(signed(body), SECRET)).rejects.toThrow(/the body is not/);
    },
  );
});

describe('callback of the service', () => {
  test('is parsed from bytes, and rejected without headers or as a parsed body', async () => {
    const { headers, body, now, proof } = vectors.valid[0]!;
    const received = { headers: new Headers(headers), body: Buffer.from(body), now: now * 1000 };
    expect(await verifyCallback(received, vectors.callback_token)).toMatchObject({ proof });
    for (const wrong of [{ headers: undefined }, { body: JSON.parse(body) as unknown }])
      await expect(async () =>
        verifyCallback({ ...received, ...wrong } as never, vectors.callback_token),
      ).rejects.toMatchObject({
        name: 'WebhookError',
      });
  });

  test.each(vectors.valid)('is accepted: $why', async ({ headers, body, now, proof }) => {
    const received = { headers: new Headers(headers), body, now: now * 1000 };
    expect(await verifyCallback(received, vectors.callback_token)).toMatchObject({ proof });
  });

  test.each(vectors.invalid)('is rejected: $why', async ({ headers, body, now }) => {
    const received = { headers: new Headers(headers), body, now: now * 1000 };
    await expect(verifyCallback(received, vectors.callback_token)).rejects.toMatchObject({
      name: 'WebhookError',
    });
  });
});

function signed(body: string) {
  const signature = createHmac('sha256', KEY).update(`msg_1.${NOW}.${body}`).digest('base64');
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW),
      'webhook-signature': `v1,${signature}`,
    },
    body,
    now: NOW * 1000,
  };
}
