import { describe, expect, it } from 'vitest';
import { shopLink, successLink } from './success-link.ts';

const options = {
  successOrigins: ['https://shop.example', 'http://localhost:8082'],
  checkoutId: 'abc',
};

describe('a success link', () => {
  it.each([
    ['https://shop.example/thanks', 'https://shop.example/thanks'],
    ['https://shop.example', 'https://shop.example/'],
    ['HTTPS://SHOP.EXAMPLE/a', 'https://shop.example/a'],
    ['https://shop.example:443/a?b=c#d', 'https://shop.example/a?b=c#d'],
    [
      'https://shop.example/t?c={checkout_id}&d={checkout_id}',
      'https://shop.example/t?c=abc&d=abc',
    ],
    ['https://shop.example/t/%7Bcheckout_id%7D', 'https://shop.example/t/abc'],
    ['http://localhost:8082/x', 'http://localhost:8082/x'],
    ['https://shop.example/danke schön'.replace(' ', '-'), 'https://shop.example/danke-sch%C3%B6n'],
  ])('to a listed origin is accepted: %s', (link, expected) =>
    expect(successLink(link, 'query', options)).toBe(expected),
  );

  it('of a signed order may lead to any https address', () => {
    for (const source of ['token', 'shop', 'catalogue'] as const) {
      expect(successLink('https://other.example/a', source, options)).toBe(
        'https://other.example/a',
      );
      expect(successLink('http://other.example/a', source, options)).toBeNull();
    }
    expect(successLink('https://other.example/a', 'query', options)).toBeNull();
    expect(successLink('https://other.example/a', 'none', options)).toBeNull();
  });

  // Links that some parsers read as another origin.
  it.each([
    '',
    ' ',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'JaVaScRiPt://shop.example/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://shop.example/x',
    'file:///etc/passwd',
    '//shop.example',
    '///shop.example',
    '/\\shop.example',
    '\\\\shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https:\\\\shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example@evil.example',
    'https://user:pass@shop.example/',
    'https://@shop.example/',
    'https://evil.example/https://shop.example',
    'https://shop.example.evil.example',
    'https://shop.example%2eevil.example',
    'https://evil.example#shop.example',
    'https://evil.example?shop.example',
    'https://shop.example:444/',
    'http://shop.example/',
    'https://shop.example /',
    ' https://shop.example/',
    'https://shop.example/\t',
    'https://shop.example/\r\nSet-Cookie: a=b',
    'https://shop.example/"><script>alert(1)</script>',
    "https://shop.example/<img src=x onerror='alert(1)'>",
    'https://ѕhop.example/',
    'https://shop。example/',
    'https://shop.example\u0000.evil.example',
    'https://[::1]/',
    'https://127.1/',
    'https://0x7f000001/',
    'ftp://shop.example/',
    'shop.example',
    `https://shop.example/${'a'.repeat(3000)}`,
  ])('that is hostile is rejected: %j', (link) => {
    expect(successLink(link, 'query', options)).toBeNull();
    expect(successLink(link, 'none', options)).toBeNull();
  });

  it('rejects a placeholder in its origin', () => {
    expect(
      successLink('https://{checkout_id}.example/', 'query', { ...options, checkoutId: 'shop' }),
    ).toBeNull();
    expect(
      successLink('{checkout_id}', 'query', { ...options, checkoutId: 'https://shop.example/' }),
    ).toBeNull();
  });
});

describe('a way back to the shop', () => {
  it('must come from the shop', () => {
    expect(shopLink('https://any.example/cart', 'token')).toBe('https://any.example/cart');
    expect(shopLink('javascript:alert(1)', 'token')).toBeNull();
    expect(shopLink('https://any.example/', 'none')).toBeNull();
    expect(shopLink(null, 'shop')).toBeNull();
  });
});
