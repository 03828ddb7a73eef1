import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmacHex } from './hmac.ts';

describe('HMAC-SHA256', () => {
  // RFC 4231, cases 2, 6 and 7; those whose key and message are text.
  it.each([
    [
      'Jefe',
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['', '', 'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad'],
  ])('of the key %j and the message %j is the published one', (key, message, expected) => {
    expect(hmacHex(key, message)).toBe(expected);
  });

  it('is that of the platform for any key and any base64, in any order', () => {
    const keys = fc.oneof(
      fc.string({ maxLength: 140, unit: 'binary' }),
      fc.constantFrom('a', 'b'.repeat(64), 'c'.repeat(65)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(keys, fc.base64String({ maxLength: 1_500 })), { maxLength: 5 }),
        (calls) => {
          for (const [key, message] of calls)
            expect(hmacHex(key, message)).toBe(
              createHmac('sha256', key).update(message).digest('hex'),
            );
        },
      ),
    );
  });

  it('keeps no more keys than it may', () => {
    for (let at = 0; at < 2_100; at += 1)
      expect(hmacHex(`key ${at}`, 'x')).toBe(
        createHmac('sha256', `key ${at}`).update('x').digest('hex'),
      );
  });
});
