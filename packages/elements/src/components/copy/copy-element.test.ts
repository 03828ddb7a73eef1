import { expect, fixture, html } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { CryptoAddress, CryptoAmount } from '../../index.ts';
import { copyExactAmount } from '../amount/copy-amount.ts';
import { lightning, payment } from '../../../test/support/fixture.ts';
import { pause, until } from '../../../test/support/fake-server.ts';
import { balancing, pressing } from '../../../test/support/pressing.ts';

const ADDRESS = 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3';
const COMPARE = 'It begins with rHsMGQ and ends with xZN5v3. Compare after pasting.';
const CHANGED = 'Your clipboard doesn’t match what you copied.';

/** A fake clipboard. */
const clipboard = { held: '', read: 0, state: 'denied' as string | null, swap: '' };
const descriptors = (['clipboard', 'permissions'] as const).map(
  (name) => [name, Object.getOwnPropertyDescriptor(navigator, name)] as const,
);
const textOf = (element: Element): string => element.shadowRoot!.textContent.replace(/\s+/g, ' ');
const regionOf = (element: Element): string =>
  [...element.shadowRoot!.children].find((child) => child.hasAttribute('aria-live'))?.textContent ??
  '';
const buttonOf = (element: Element, label: string): HTMLElement =>
  [...element.shadowRoot!.querySelectorAll<HTMLElement>('button')].find((button) =>
    button.ariaLabel?.endsWith(label),
  )!;

/** Characters of each line. */
function lineLengths(element: Element): number[] {
  const lines = new Map<number, number>();
  const range = document.createRange();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    for (let at = 0; at < text.length; at += 1) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const line = Math.round(range.getBoundingClientRect().bottom / 10);
      if (text.data[at]!.trim()) lines.set(line, (lines.get(line) ?? 0) + 1);
    }
  }
  return [...lines.values()];
}

describe('copying', () => {
  beforeEach(() => {
    Object.assign(clipboard, { held: '', read: 0, state: 'denied', swap: '' });
    const value = {
      writeText: async (text: string) => void (clipboard.held = clipboard.swap || text),
      readText: async () => {
        clipboard.read += 1;
        return clipboard.held;
      },
    };
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value });
    const query = async () => {
      if (clipboard.state === null) throw new TypeError('no such permission');
      return { state: clipboard.state };
    };
    Object.defineProperty(navigator, 'permissions', { configurable: true, value: { query } });
  });
  after(() => {
    for (const [name, descriptor] of descriptors)
      if (descriptor) Object.defineProperty(navigator, name, descriptor);
      else delete (navigator as unknown as Record<string, unknown>)[name];
  });

  const address = (): Promise<CryptoAddress> =>
    fixture<CryptoAddress>(html`<crypto-address address=${ADDRESS} tag="12345"></crypto-address>`);

  it('shows and announces both ends until something else is copied', async () => {
    const element = await address();
    expect(textOf(element)).to.not.contain(COMPARE);
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    await until(() => regionOf(element).includes('begins with rHsMGQ'));
    expect(clipboard.held).to.equal(ADDRESS);
    await expect(element).to.be.accessible();
    buttonOf(element, 'Destination tag').click();
    await until(() => clipboard.held === '12345');
    await until(() => !textOf(element).includes(COMPARE));
  });

  it('removes the feedback together with its value', async () => {
    const request = lightning().payment!.lightning!.payment_request!;
    for (const locale of ['en', 'de', 'ar']) {
      const element = await fixture<CryptoAddress>(
        html`<crypto-address request=${request} locale=${locale}></crypto-address>`,
      );
      const hints = (): number => element.shadowRoot!.querySelectorAll('[part=hint]').length;
      const word = (): string =>
        element.shadowRoot!.querySelector('button')!.ariaLabel!.split(':')[0]!;
      const before = word();
      element.shadowRoot!.querySelector('button')!.click();
      await until(() => hints() === 1, `both ends in ${locale}`);
      expect(word()).to.not.equal(before);
      Object.assign(element, { request: null, address: ADDRESS });
      await element.updateComplete;
      expect(hints(), locale).to.equal(0);
      expect(word()).to.equal(before);
      Object.assign(element, { request, address: null });
      await element.updateComplete;
      expect(hints(), locale).to.equal(0);
      expect(word()).to.equal(before);
      element.remove();
    }
  });

  it('shows no clipboard warning below another value', async () => {
    clipboard.state = 'granted';
    clipboard.swap = 'rEvil';
    const element = await address();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    element.address = payment().address;
    await until(() => clipboard.read === 1);
    await pause(100);
    expect(textOf(element)).to.not.contain(CHANGED);
    expect(regionOf(element)).to.not.contain(CHANGED);
  });

  it('moves no other button', async () => {
    const element = await address();
    element.style.width = '320px';
    const top = (): number => buttonOf(element, 'Destination tag').getBoundingClientRect().top;
    const before = top();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    expect(top()).to.equal(before);
  });

  it('moves nothing below it, and lets presses pass, until the buyer has read it', async () => {
    const element = await address();
    const button = document.createElement('button');
    element.after(button);
    const top = (): number => button.getBoundingClientRect().top;
    const before = top();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    expect(top()).to.equal(before);
    const text = element.shadowRoot!.querySelector('.toast small')!;
    expect(text.getBoundingClientRect().height).to.be.above(10);
    const { left, top: from, width, height } = text.getBoundingClientRect();
    expect(document.elementFromPoint(left + width / 2, from + height / 2)).to.not.equal(element);
    await expect(element).to.be.accessible();
    button.remove();
  });

  it('keeps the copy button beside an address on a phone of 320 px', async () => {
    for (const value of [ADDRESS, payment().address]) {
      const element = await fixture<CryptoAddress>(
        html`<crypto-address address=${value!} style="width: 264px"></crypto-address>`,
      );
      const [shown, button] = ['[part=value]', 'button'].map((part) =>
        element.shadowRoot!.querySelector(part)!.getBoundingClientRect(),
      );
      expect(button!.left).to.be.at.least(shown!.right);
      element.remove();
    }
  });

  balancing('breaks an address into lines of one length', async () => {
    for (const value of [ADDRESS, payment().address!])
      for (const width of [264, 320]) {
        const element = await fixture<CryptoAddress>(
          html`<crypto-address address=${value} style="width: ${width}px"></crypto-address>`,
        );
        const lengths = lineLengths(element.shadowRoot!.querySelector('code')!);
        expect(lengths.length).to.be.above(1);
        const spread = Math.max(...lengths) - Math.min(...lengths);
        expect(spread, `${value} at ${width} px: ${lengths.join()}`).to.be.at.most(6);
        element.remove();
      }
  });

  it('marks only the tag as required, also in the exchange form', async () => {
    const wallet = await address();
    const hints = (element: CryptoAddress): string[] =>
      [...element.shadowRoot!.querySelectorAll('[part=field]')].map(
        (field) => field.querySelector('[part=hint]')?.textContent ?? '',
      );
    expect(hints(wallet)).to.deep.equal([
      '',
      'Without this tag, your payment can’t be matched to your order.',
    ]);
    const both = await address();
    both.exchange = true;
    await both.updateComplete;
    expect(hints(both)).to.deep.equal(hints(wallet));
    const one = await fixture<CryptoAddress>(
      html`<crypto-address address=${payment().address!}></crypto-address>`,
    );
    expect(textOf(one)).to.not.contain('Required');
  });

  it('copies the bare request and the bare number', async () => {
    const request = lightning().payment!.lightning!.payment_request!;
    const element = await fixture<CryptoAddress>(
      html`<crypto-address request=${request}></crypto-address>`,
    );
    buttonOf(element, 'Lightning request').click();
    await until(() => clipboard.held === request);
    const amount = await fixture<CryptoAmount>(
      html`<crypto-amount amount="0.0012" symbol="BTC"></crypto-amount>`,
    );
    buttonOf(amount, 'Amount').click();
    await until(() => clipboard.held === '0.0012');
  });

  it('copies an amount with a decimal point, also from a manual selection in a comma language', async () => {
    const amount = await fixture<CryptoAmount>(
      html`<crypto-amount amount="1234.5678" symbol="ETH" locale="de"></crypto-amount>`,
    );
    const value = amount.shadowRoot!.querySelector('[part=value]')!;
    expect(value.textContent).to.equal('1234,5678 ETH');
    buttonOf(amount, 'Betrag').click();
    await until(() => clipboard.held === '1234.5678');
    amount.addEventListener('copy', copyExactAmount);
    const copied = (start: number, end: number): string => {
      const text = [...value.querySelector('b')!.childNodes].find(
        (node): node is Text => node instanceof Text && node.data !== '',
      )!;
      getSelection()!.setBaseAndExtent(text, start, text, end);
      const event = new ClipboardEvent('copy', {
        clipboardData: new DataTransfer(),
        bubbles: true,
        composed: true,
        cancelable: true,
      });
      value.dispatchEvent(event);
      return event.clipboardData!.getData('text/plain');
    };
    expect(copied(0, 9)).to.equal('1234.5678');
    expect(copied(3, 7)).to.equal('4.56');
    expect(copied(4, 7)).to.equal('.56');
    // An amount with a decimal point is copied unchanged.
    amount.locale = 'en';
    await amount.updateComplete;
    expect(copied(0, 9)).to.equal('');
    Object.assign(amount, { amount: '6539024843.75', symbol: 'SHIB', locale: 'fr' });
    await amount.updateComplete;
    expect(value.textContent).to.equal('6\u202f539\u202f024\u202f843,75 SHIB');
    expect(copied(0, 16)).to.equal('6539024843.75');
    expect(copied(0, 5)).to.equal('6539');
  });

  it('groups satoshis as the language does, and copies plain digits', async () => {
    for (const [locale, shown] of [
      ['en', '1,234,567 sats'],
      ['de', '1.234.567 sats'],
      ['fr', '1\u202f234\u202f567 sats'],
    ]) {
      const amount = await fixture<CryptoAmount>(
        html`<crypto-amount amount="1234567" symbol="sats" locale=${locale!}></crypto-amount>`,
      );
      const value = amount.shadowRoot!.querySelector('[part=value]')!;
      expect(value.textContent).to.equal(shown);
      clipboard.held = '';
      amount.shadowRoot!.querySelector('button')!.click();
      await until(() => clipboard.held === '1234567');
      amount.addEventListener('copy', copyExactAmount);
      getSelection()!.selectAllChildren(value.querySelector('b')!);
      const event = new ClipboardEvent('copy', {
        clipboardData: new DataTransfer(),
        bubbles: true,
        composed: true,
        cancelable: true,
      });
      value.dispatchEvent(event);
      expect(event.clipboardData!.getData('text/plain')).to.equal('1234567');
      amount.remove();
    }
  });

  it('collapses the unconfidential address, except for exchanges', async () => {
    const element = await fixture<CryptoAddress>(
      html`<crypto-address
        address="lq1confidential"
        public-address="ex1plain-address"
      ></crypto-address>`,
    );
    await until(() => element.shadowRoot!.querySelector('details'));
    expect(element.shadowRoot!.querySelector('details')!.open).to.equal(false);
    element.exchange = true;
    await element.updateComplete;
    expect(element.shadowRoot!.querySelector('details')!.open).to.equal(true);
    expect(
      [...element.shadowRoot!.querySelectorAll('[part=value]')].map(
        ({ textContent }) => textContent,
      ),
    ).to.deep.equal(['ex1plain-address', 'lq1confidential']);
    buttonOf(element, 'Plain address').click();
    await until(() => clipboard.held === 'ex1plain-address');
    await expect(element).to.be.accessible();
  });

  it('warns when the clipboard holds another text', async () => {
    clipboard.state = 'granted';
    clipboard.swap = 'rEvil';
    const element = await address();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(CHANGED));
    await until(() => regionOf(element).includes(CHANGED));
    expect(element.shadowRoot!.textContent).to.not.contain('Copied:');
    await expect(element).to.be.accessible();
    const alarm = getComputedStyle(element.shadowRoot!.querySelector('.note svg')!).color;
    const danger = document.createElement('i');
    danger.style.color = 'light-dark(#ad1f1f, #ffb0a8)';
    element.shadowRoot!.append(danger);
    expect(alarm).to.equal(getComputedStyle(danger).color);
    danger.remove();
    clipboard.swap = '';
    buttonOf(element, 'Address').click();
    await until(() => !textOf(element).includes(CHANGED));
  });

  it('does not warn about a later copy of the page', async () => {
    clipboard.state = 'granted';
    const amount = await fixture<CryptoAmount>(
      html`<crypto-amount amount="0.0012" symbol="BTC"></crypto-amount>`,
    );
    const element = await address();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    await pause(100);
    buttonOf(amount, 'Amount').click();
    await pause(1000);
    expect(textOf(element) + textOf(amount)).to.not.contain(CHANGED);
  });

  it('warns although a script copies another text, or imitates a press before it', async () => {
    clipboard.state = 'granted';
    const element = await address();
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    await pause(100);
    clipboard.held = 'rEvil';
    document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    document.body.dispatchEvent(new ClipboardEvent('copy', { bubbles: true }));
    await until(() => textOf(element).includes(CHANGED));
  });

  pressing('warns although a script copies another text while a key is held', async () => {
    clipboard.state = 'granted';
    const element = await address();
    await sendKeys({ down: 'a' });
    buttonOf(element, 'Address').click();
    await until(() => textOf(element).includes(COMPARE));
    await pause(100);
    let repeats = 0;
    const count = ({ repeat }: KeyboardEvent): void => void (repeats += Number(repeat));
    addEventListener('keydown', count, { once: true });
    await sendKeys({ down: 'a' });
    expect(repeats).to.equal(1);
    clipboard.held = 'rEvil';
    document.body.dispatchEvent(new ClipboardEvent('copy', { bubbles: true }));
    await until(() => textOf(element).includes(CHANGED));
    await sendKeys({ up: 'a' });
  });

  it('reads the clipboard only with an existing permission', async () => {
    for (const state of ['prompt', 'denied', null]) {
      clipboard.state = state;
      clipboard.swap = 'rEvil';
      const element = await address();
      buttonOf(element, 'Address').click();
      await until(() => textOf(element).includes(COMPARE));
      expect(clipboard.read, String(state)).to.equal(0);
    }
  });

  it('excludes values from browser translation', async () => {
    for (const element of [
      await address(),
      await fixture(html`<crypto-amount amount="1" symbol="BTC"></crypto-amount>`),
    ])
      for (const value of element.shadowRoot!.querySelectorAll('[part=value]'))
        expect(value.getAttribute('translate')).to.equal('no');
  });
});
