import { expect, fixture, html } from '@open-wc/testing';
import {
  type CryptoAddress,
  type CryptoAmount,
  CryptoCheckout,
  type CryptoCoinPicker,
  type CryptoCountdown,
  type CryptoQr,
  type CryptoStatus,
} from '../../index.ts';
import { define } from './checkout-element.ts';
import { COINS } from '../../../test/support/fixture.ts';
import { pause, until } from '../../../test/support/fake-server.ts';

const regionOf = (element: Element): string =>
  [...element.shadowRoot!.children].find((child) => child.hasAttribute('aria-live'))?.textContent ??
  '';

describe('standalone elements', () => {
  let copied = '';
  const clipboard = Object.getOwnPropertyDescriptor(navigator, 'clipboard');
  const allow = (write: (text: string) => Promise<void>): void =>
    void Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: { writeText: write },
    });
  beforeEach(() => {
    copied = '';
    allow((text) => {
      copied = text;
      return Promise.resolve();
    });
  });
  after(() =>
    clipboard
      ? Object.defineProperty(navigator, 'clipboard', clipboard)
      : delete (navigator as { clipboard?: unknown }).clipboard,
  );

  it('crypto-amount copies the bare number and announces it', async () => {
    const element = await fixture<CryptoAmount>(
      html`<crypto-amount amount="0.0012" symbol="BTC"></crypto-amount>`,
    );
    element.shadowRoot!.querySelector('button')!.click();
    await until(() => regionOf(element) === 'Copied: Amount');
    expect(copied).to.equal('0.0012');
    expect(element.shadowRoot!.querySelector('button')!.textContent).to.contain('Copied');
    await expect(element).to.be.accessible();
  });

  it('crypto-address copies each value alone and announces both ends', async () => {
    const element = await fixture<CryptoAddress>(
      html`<crypto-address
        address="rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3"
        tag="12345"
      ></crypto-address>`,
    );
    const [address, tag] = element.shadowRoot!.querySelectorAll('button');
    address!.click();
    await until(() => regionOf(element).includes('begins with rHsMGQ and ends with xZN5v3'));
    expect(copied).to.equal('rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3');
    tag!.click();
    await until(() => copied === '12345');
    await expect(element).to.be.accessible();
  });

  it('crypto-address keeps each end on one line and marks it by more than colour', async () => {
    const part = await fixture<CryptoAddress>(
      html`<crypto-address
        address="bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
        style="inline-size: 320px"
      ></crypto-address>`,
    );
    const [first, last] = part.shadowRoot!.querySelectorAll('strong');
    const lines = new Set<number>();
    for (let width = 140; width <= 700; width += 3) {
      part.style.inlineSize = `${width}px`;
      expect(
        [first!.getClientRects().length, last!.getClientRects().length],
        `${width} px`,
      ).to.deep.equal([1, 1]);
      lines.add(part.shadowRoot!.querySelector('code')!.getClientRects().length);
    }
    expect(lines.size, 'it breaks elsewhere').to.be.above(2);
    const weightOf = (element: Element): number => Number(getComputedStyle(element).fontWeight);
    expect(weightOf(last!)).to.be.above(weightOf(part.shadowRoot!.querySelector('code span')!));
  });

  it('announces that copying is not allowed', async () => {
    allow(() => Promise.reject(new Error('no')));
    const exec = document.execCommand;
    document.execCommand = () => false;
    const element = await fixture<CryptoAmount>(
      html`<crypto-amount amount="1" symbol="BTC"></crypto-amount>`,
    );
    element.shadowRoot!.querySelector('button')!.click();
    await until(() => regionOf(element).includes('Please select the text'));
    document.execCommand = () => true;
    element.shadowRoot!.querySelector('button')!.click();
    await until(() => regionOf(element) === 'Copied: Amount');
    document.execCommand = exec;
  });

  it('crypto-qr encodes only if the path is missing', async () => {
    const given = await fixture<CryptoQr>(
      html`<crypto-qr value="bitcoin:x" path="M0 0h1v1h-1z" size="21"></crypto-qr>`,
    );
    expect(given.shadowRoot!.querySelector('path')!.getAttribute('d')).to.equal('M0 0h1v1h-1z');
    const made = await fixture<CryptoQr>(
      html`<crypto-qr
        value="bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
        label="Pay"
      ></crypto-qr>`,
    );
    await until(() => made.shadowRoot!.querySelector('path'));
    const first = made.path;
    expect(made.size).to.be.greaterThan(20);
    made.value = 'bitcoin:other';
    await until(() => made.path && made.path !== first);
    await expect(made).to.be.accessible();
  });

  it('crypto-countdown dispatches an event at the end', async () => {
    const element = document.createElement('crypto-countdown');
    let ended = 0;
    element.addEventListener('countdown-end', () => (ended += 1));
    Object.assign(element, {
      expiresAt: '2026-01-01T00:00:01Z',
      serverTime: '2026-01-01T00:00:00Z',
    });
    document.body.append(element);
    await until(() => ended === 1);
    await pause(1100);
    expect(ended).to.equal(1);
    expect(element.shadowRoot!.textContent).to.contain('0:00');
    element.remove();
  });

  it('crypto-countdown is empty without an end', async () => {
    const element = await fixture<CryptoCountdown>(html`<crypto-countdown></crypto-countdown>`);
    expect(element.shadowRoot!.querySelector('[role=timer]')).to.equal(null);
  });

  it('crypto-status loads its texts', async () => {
    const element = await fixture<CryptoStatus>(
      html`<crypto-status stage="paid" have="2" need="6"></crypto-status>`,
    );
    await until(() => element.shadowRoot!.textContent.includes('2 of 6 confirmations'));
    await expect(element).to.be.accessible();
  });

  it('crypto-coin-picker dispatches the choice and sends no form without an action', async () => {
    const element = await fixture<CryptoCoinPicker>(
      html`<crypto-coin-picker kind="ETH" .coins=${COINS}></crypto-coin-picker>`,
    );
    let kind = '';
    element.addEventListener('coin-pick', (event) => (kind = event.kind));
    element.shadowRoot!.querySelector('form')!.requestSubmit();
    expect(kind).to.equal('ETH');
    await expect(element).to.be.accessible();
  });

  it('supports two languages on one page and right-to-left writing', async () => {
    const [de, ar] = [
      await fixture<CryptoStatus>(html`<crypto-status stage="pay" locale="de-AT"></crypto-status>`),
      await fixture<CryptoStatus>(html`<crypto-status stage="pay" locale="ar"></crypto-status>`),
    ];
    expect(de.shadowRoot!.querySelector('h2')!.textContent).to.equal('Sende deine Zahlung');
    expect(ar.shadowRoot!.querySelector('h2')!.textContent).to.equal('أرسل دفعتك');
    de.stage = 'choose';
    await de.updateComplete;
    expect(de.shadowRoot!.querySelector('h2')!.textContent).to.equal('Wähle eine Währung');
  });

  it('registers once, even if the script is loaded twice', () => {
    define('crypto-checkout', class extends HTMLElement {});
    expect(customElements.get('crypto-checkout')).to.equal(CryptoCheckout);
  });

  it('exports its inner parts', async () => {
    const outer = document.createElement('div');
    document.body.append(outer);
    outer.innerHTML =
      '<style>crypto-amount::part(value) { color: rgb(1, 2, 3) }</style><crypto-amount amount="1" symbol="X"></crypto-amount>';
    const amount = outer.querySelector('crypto-amount')!;
    await amount.updateComplete;
    expect(getComputedStyle(amount.shadowRoot!.querySelector('[part=value]')!).color).to.equal(
      'rgb(1, 2, 3)',
    );
    outer.remove();
  });
});
