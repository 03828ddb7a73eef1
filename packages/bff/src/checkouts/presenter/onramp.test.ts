import { describe, expect, it } from 'vitest';
import { OptionsError } from '../../options.ts';
import { choose, open, setUp } from '../../../test/support/bench.ts';

const ONRAMP =
  'https://sell.test/w?key={api_key}&to={address}&coins={amount}&fiat={currency}&coin={symbol}&chain={network}';

describe('an on-ramp', () => {
  it('contains the payment once an address exists', async () => {
    const bench = setUp({ onrampUrl: ONRAMP });
    bench.service.onrampApiKey = 'k&e/y';
    expect((await open(bench)).onramp).toBeNull();
    const { id, payment, onramp } = await choose(bench, 'ETH_USDT');
    expect(onramp).toBe(
      `https://sell.test/w?key=k%26e%2Fy&to=${payment.address}&coins=50&fiat=USD&coin=USDT&chain=ethereum`,
    );
    const part = bench.service.pay(payment.invoice_id, { amount: '20' });
    await bench.call('transaction_pending', part.id);
    expect((await bench.get(`/checkouts/${id}`)).body.onramp).toContain('&coins=30&');
    const rest = bench.service.pay(payment.invoice_id, { amount: '30' });
    await bench.call('transaction_pending', rest.id);
    expect((await bench.get(`/checkouts/${id}`)).body.onramp).toBeNull();
  });

  it('needs an on-ramp in the profile and the settings, and no destination tag', async () => {
    const without = setUp({ onrampUrl: ONRAMP });
    expect((await choose(without)).onramp).toBeNull();
    const unset = setUp();
    unset.service.onrampApiKey = 'key';
    expect((await choose(unset)).onramp).toBeNull();
    const bench = setUp({ onrampUrl: ONRAMP });
    bench.service.onrampApiKey = 'key';
    expect((await choose(bench, 'XRP')).onramp).toBeNull();
    expect((await choose(bench, 'BTC_LIGHTNING')).onramp).toBeNull();
    expect((await choose(bench, 'BTC')).onramp).not.toBeNull();
  });

  it.each([
    'http://sell.test/?a={address}',
    'https://sell.test/',
    'https://sell.test/?a={address}&b={passphrase}',
    'https://{address}.test/',
    'https://user:pass@sell.test/?a={address}',
    'javascript:alert("{address}")',
    'https://sell.test/?a={address}&b={constructor}',
  ])('rejects an ONRAMP_URL that is not https or lacks the address: %s', (onrampUrl) => {
    expect(() => setUp({ onrampUrl })).toThrow(OptionsError);
  });
});

describe("the shop's help link", () => {
  it.each([
    'https://shop.test/help?a=b',
    'mailto:help@shop.test',
    'mailto:help@shop.test?subject=Order',
  ])('is shown: %s', async (supportUrl) => {
    expect((await open(setUp({ supportUrl }))).merchant).toEqual({
      name: 'Test Shop',
      contact: supportUrl,
      logo: null,
      legal: null,
    });
  });

  it.each([
    'http://shop.test/',
    'javascript:alert(1)',
    'mailto:',
    'mailto:nobody',
    'tel:+123',
    '/help',
    'https://a:b@shop.test/',
    'data:,x',
  ])('rejects any other kind of link: %s', (supportUrl) => {
    expect(() => setUp({ supportUrl })).toThrow(OptionsError);
  });
});
