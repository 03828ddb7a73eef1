import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { addressGroup, clientAddress, isAllowed, normalAddress } from './address.ts';

const { trustedProxies: trusted } = loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8 fd00::/8' });

describe('clientAddress', () => {
  it.each([
    ['198.51.100.1', null, '198.51.100.1'],
    ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['fd00::1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ])('of socket %s and forwarded %s is %s', (socket, forwarded, address) => {
    expect(clientAddress(socket, forwarded, trusted)).toBe(address);
  });
});

describe('addresses', () => {
  it('are normalized', () => {
    expect(normalAddress('::FFFF:127.0.0.1')).toBe('127.0.0.1');
    expect(normalAddress('2001:DB8:0::1')).toBe('2001:db8::1');
    for (const text of ['', 'localhost', '1.2.3', '0x7f.0.0.1', '1.2.3.4.5', '300.1.1.1'])
      expect(normalAddress(text)).toBeNull();
  });

  it('match single addresses and networks', () => {
    expect(isAllowed('203.0.113.9', ['203.0.113.0/24'])).toBe(true);
    expect(isAllowed('203.0.114.9', ['203.0.113.0/24', '1.2.3.4'])).toBe(false);
    expect(isAllowed('2001:db8::1', ['2001:db8::/32'])).toBe(true);
    expect(isAllowed('1.2.3.4', ['2001:db8::/32', 'nonsense', '1.2.3.4/99'])).toBe(false);
  });

  it('of one customer share a limit', () => {
    expect(addressGroup('2001:db8:1:2:3::4')).toBe(addressGroup('2001:db8:1:2:ffff::'));
    expect(addressGroup('2001:db8:1:2::')).not.toBe(addressGroup('2001:db8:1:3::'));
    expect(addressGroup('1.2.3.4')).toBe('1.2.3.4');
  });
});
