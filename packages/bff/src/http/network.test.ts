import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createAddressOf } from './client-address.ts';
import { isWithin, limitKey, parseAddress, parseNetwork } from './network.ts';

describe('an address', () => {
  it.each([
    ['127.0.0.1', '::ffff:7f00:1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['[2001:db8::1]', '2001:0db8:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::', '0:0:0:0:0:0:0:0'],
  ])('%s equals %s', (a, b) => expect(parseAddress(a)).toBe(parseAddress(b)));

  it.each([
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.1',
    '1::2::3',
    '1:2:3',
    ':::',
    '12345::',
    '1.2.3.4:80',
    '::1.2.3',
  ])('%s is invalid', (text) => expect(parseAddress(text)).toBeNull());

  it('has itself or its /64 as the key of limits', () => {
    const key = (text: string): string => limitKey(parseAddress(text) ?? 0n);
    expect(key('192.0.2.1')).not.toBe(key('192.0.2.2'));
    expect(key('2001:db8::1')).toBe(key('2001:db8::ffff:1'));
    expect(key('2001:db8::1')).not.toBe(key('2001:db8:0:1::1'));
  });
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['::1/128', '::1', true],
    ['2001:db8::/32', '2001:db8:1::', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ])('%s holds %s: %s', (network, address, holds) =>
    expect(isWithin(parseAddress(address) ?? 0n, parseNetwork(network)!)).toBe(holds),
  );

  it.each(['10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1', 'x/8', ''])(
    '%s is invalid',
    (text) => expect(parseNetwork(text)).toBeNull(),
  );
});

describe("a request's address", () => {
  const ask = async (
    socket: string,
    forwarded: string | null,
    proxies: string[],
  ): Promise<string> => {
    const addressOf = createAddressOf({
      trustedProxies: proxies.map((proxy) => parseNetwork(proxy)!),
      socketAddress: () => socket,
    });
    const app = new Hono().get('/', (c) => c.text(addressOf(c)));
    return (
      await app.request('/', {
        headers: forwarded === null ? {} : { 'x-forwarded-for': forwarded },
      })
    ).text();
  };
  const key = (text: string): string => limitKey(parseAddress(text) ?? 0n);

  it('is that of the socket without a trusted proxy', async () => {
    expect(await ask('203.0.113.1', '192.0.2.9', [])).toBe(key('203.0.113.1'));
    expect(await ask('203.0.113.1', '192.0.2.9', ['10.0.0.0/8'])).toBe(key('203.0.113.1'));
  });

  it('is the last hop that is not a trusted proxy', async () => {
    expect(await ask('10.0.0.1', '192.0.2.9', ['10.0.0.0/8'])).toBe(key('192.0.2.9'));
    expect(await ask('10.0.0.1', '6.6.6.6, 192.0.2.9, 10.0.0.2', ['10.0.0.0/8'])).toBe(
      key('192.0.2.9'),
    );
    expect(await ask('10.0.0.1', 'spoofed, 192.0.2.9', ['10.0.0.0/8'])).toBe(key('192.0.2.9'));
    expect(await ask('10.0.0.1', 'nonsense', ['10.0.0.0/8'])).toBe(key('10.0.0.1'));
    expect(await ask('10.0.0.1', null, ['10.0.0.0/8'])).toBe(key('10.0.0.1'));
  });
});
