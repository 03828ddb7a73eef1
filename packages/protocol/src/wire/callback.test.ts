import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/callback.json' with { type: 'json' };
import {
  WebhookError,
  signCallback,
  signWebhook,
  verifyCallback,
  verifyWebhook,
  webhookSecret,
} from './callback.ts';
import type { Hmac } from './signature.ts';
import { hmacWebCrypto } from './signature-web.ts';

const hmacNode: Hmac = (key, message) => createHmac('sha256', key).update(message).digest();

interface Case {
  why: string;
  headers: Record<string, string>;
  body: string;
  now: number;
}

describe.each([
  ['Node', hmacNode],
  ['WebCrypto', hmacWebCrypto],
])('callback with %s', (_, hmac) => {
  test('signs the id with the token', async () => {
    const expected = createHmac('sha256', vectors.callback_token)
      .update(vectors.callback_id)
      .digest('hex');
    expect(vectors.signature).toBe(expected);
    expect(await signCallback(vectors.callback_id, vectors.callback_token, hmac)).toBe(expected);
  });

  test('derives the webhook secret from the token', () => {
    expect(webhookSecret(vectors.callback_token)).toBe(vectors.webhook_secret);
  });

  test('signs like the Standard Webhooks reference libraries', async () => {
    const { signature, ...message } = vectors.standard_webhooks;
    expect(await signWebhook(message, hmac)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test.each(vectors.valid as (Case & { proof: string })[])(
    'accepts $why',
    async ({ headers, body, now, proof }) => {
      const verified = await verifyCallback({
        headers,
        body,
        now: now * 1000,
        callbackToken: vectors.callback_token,
        hmac,
      });
      expect(verified.proof).toBe(proof);
      expect(verified.callback.callback_id).toBe(vectors.callback_id);
    },
  );

  test.each(vectors.invalid as Case[])('refuses $why', async ({ headers, body, now }) => {
    const verified = verifyCallback({
      headers,
      body,
      now: now * 1000,
      callbackToken: vectors.callback_token,
      hmac,
    });
    await expect(verified).rejects.toBeInstanceOf(WebhookError);
  });
});

describe('webhook', () => {
  const message = {
    id: 'evt_1',
    timestamp: 1_795_219_200,
    body: '{"event":"checkout.paid"}',
    secret: webhookSecret('shop'),
  };
  const now = message.timestamp * 1000;

  test('reads headers from `Headers`, case-insensitively', async () => {
    const headers = new Headers(
      Object.entries(await signWebhook(message, hmacNode)).map(([name, value]) => [
        name.toUpperCase(),
        value,
      ]),
    );
    expect(await verifyWebhook({ ...message, headers, now, hmac: hmacNode })).toEqual({
      id: 'evt_1',
      timestamp: message.timestamp,
    });
  });

  test('refuses a repeated header', async () => {
    const signed = await signWebhook(message, hmacNode);
    const headers = {
      ...signed,
      'webhook-signature': [signed['webhook-signature'], signed['webhook-signature']],
    };
    await expect(verifyWebhook({ ...message, headers, now, hmac: hmacNode })).rejects.toThrow(
      /missing/,
    );
  });

  test.each(['whsec_', 'whsec_***', ''])('refuses the secret %j', async (secret) => {
    await expect(signWebhook({ ...message, secret }, hmacNode)).rejects.toThrow(WebhookError);
  });

  test('refuses to verify a callback without a token', async () => {
    const [valid] = vectors.valid as Case[];
    const verified = verifyCallback({
      headers: valid!.headers,
      body: valid!.body,
      now,
      callbackToken: '',
      hmac: hmacNode,
    });
    await expect(verified).rejects.toThrow(/no callback token/);
  });
});
