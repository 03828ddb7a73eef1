import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import '../../lazy/lazy-modules.ts';
import './button.ts';
import type { CryptoCheckoutButton } from './button.ts';
import type { CheckoutCloseEvent } from '../../events/checkout-events.ts';
import { checkout } from '../../../test/support/fixture.ts';
import {
  FakeServer,
  FakeStream,
  deep,
  deepActive,
  failing,
  pause,
  spoken,
  until,
} from '../../../test/support/fake-server.ts';

const dialogOf = (button: Element): HTMLDialogElement | null =>
  button.shadowRoot?.querySelector('dialog') ?? null;
const triggerOf = (button: Element): HTMLElement | null =>
  button.shadowRoot?.querySelector('[part=button]') ?? null;
const checkoutOf = (button: Element) => button.shadowRoot?.querySelector('crypto-checkout') ?? null;
const press = (element: Element, options: MouseEventInit = {}): boolean =>
  element.dispatchEvent(
    new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, ...options }),
  );
/** Only one of the three engines handles key presses in time; the others get a `cancel` event. */
const canPress = /Chrome/.test(navigator.userAgent);
const escape = async (dialog: HTMLDialogElement): Promise<void> => {
  if (canPress) await sendKeys({ press: 'Escape' });
  else dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
};
/** A backdrop click: its target is the dialog, its position is outside of the dialog's box. */
const pressBeside = (dialog: HTMLDialogElement): boolean =>
  press(dialog, { clientX: 1, clientY: 1 });

async function place(
  attributes: Record<string, string> = {},
  content = '',
  parent: Node = document.body,
): Promise<CryptoCheckoutButton> {
  const button = document.createElement('crypto-checkout-button');
  for (const [name, value] of Object.entries({
    server: 'https://pay.example',
    order: 'a.b.c',
    ...attributes,
  }))
    button.setAttribute(name, value);
  button.insertAdjacentHTML('beforeend', content);
  parent.appendChild(button);
  await until(() => dialogOf(button), 'a drawn button');
  return button;
}

/** Opens the dialog and waits for the checkout. */
async function opened(button: CryptoCheckoutButton): Promise<HTMLDialogElement> {
  press(triggerOf(button)!);
  await until(() => dialogOf(button)?.open && checkoutOf(button)?.checkout, 'an open checkout');
  return dialogOf(button)!;
}

describe('crypto-checkout-button', () => {
  let server: FakeServer;
  let closed: CheckoutCloseEvent[];
  const onClose = (event: CheckoutCloseEvent): void => void closed.push(event);
  beforeEach(() => {
    closed = [];
    server = new FakeServer();
    server.start();
    document.addEventListener('checkout-close', onClose as EventListener);
  });
  afterEach(() => {
    server.stop();
    document.removeEventListener('checkout-close', onClose as EventListener);
    document
      .querySelectorAll('crypto-checkout-button, .test')
      .forEach((element) => element.remove());
    document.documentElement.lang = 'en';
  });

  it('sends no request before it is pressed', async () => {
    const button = await place();
    await pause(50);
    expect(server.asked).to.have.length(0);
    expect(triggerOf(button)!.textContent).to.contain('Pay with cryptocurrency');
    await expect(button).to.be.accessible();
  });

  it('uses the page language or its own locale', async () => {
    document.documentElement.lang = 'de';
    const german = await place();
    expect(triggerOf(german)!.textContent).to.match(/Krypto/);
    const own = await place({ locale: 'ar' }, 'Pay 49.90');
    expect(dialogOf(own)!.dir).to.equal('rtl');
    expect(own.shadowRoot!.querySelector('slot')!.assignedNodes()[0]!.textContent).to.equal(
      'Pay 49.90',
    );
  });

  it('opens a labelled modal dialog and makes the page inert', async () => {
    const beside = document.body.appendChild(document.createElement('button'));
    beside.className = 'test';
    const button = await place();
    const dialog = await opened(button);
    expect(dialog.matches(':modal')).to.equal(true);
    expect(dialog.getAttribute('aria-label')).to.equal('Payment');
    expect(button.shadowRoot!.activeElement).to.equal(dialog);
    beside.focus();
    expect(document.activeElement).to.equal(button);
    // Only here the browser's own controls, which follow in the tab order, return the focus.
    for (let step = 0; step < (canPress ? 40 : 0); step++) {
      await sendKeys({ press: 'Tab' });
      expect(document.activeElement === beside, 'the focus stays in the dialog').to.equal(false);
    }
    await expect(button).to.be.accessible();
  });

  it('forwards its attributes and their changes', async () => {
    const button = await place({
      kind: 'XRP',
      locale: 'de',
      theme: 'dark',
      'success-url': 'https://shop.example/thanks',
      header: 'none',
      'redirect-after': 'now',
      class: 'x',
      id: 'y',
    });
    await opened(button);
    const inner = checkoutOf(button)!;
    expect(
      Object.fromEntries(
        [...inner.attributes]
          .filter(({ name }) => name !== 'exportparts')
          .map(({ name, value }) => [name, value]),
      ),
    ).to.deep.equal({
      server: 'https://pay.example',
      order: 'a.b.c',
      kind: 'XRP',
      locale: 'de',
      theme: 'dark',
      'success-url': 'https://shop.example/thanks',
      header: 'none',
      'redirect-after': 'now',
    });
    expect(deep(inner, '[part=header]')).to.have.length(0);
    button.setAttribute('theme', 'light');
    button.removeAttribute('kind');
    await until(() => inner.getAttribute('theme') === 'light' && !inner.hasAttribute('kind'));
  });

  it('accepts property names as attributes, as React writes them on a server, and renames none', async () => {
    const button = await place({
      order: '',
      checkoutid: 'c8e1',
      successurl: 'https://shop.example/thanks',
    });
    const before = button.outerHTML;
    await opened(button);
    expect(server.asked[0]!.path).to.equal(
      '/checkouts/c8e1?success_url=https%3A%2F%2Fshop.example%2Fthanks',
    );
    expect(button.outerHTML).to.equal(before);
    button.checkoutId = 'c9';
    expect([button.checkoutId, button.getAttribute('checkout')]).to.deep.equal(['c9', 'c9']);
  });

  it('has a property for each attribute, including values set before the upgrade', async () => {
    const button = document.createElement('crypto-checkout-button');
    Object.assign(button, {
      server: 'https://pay.example',
      order: 'a.b.c',
      successUrl: 'https://shop.example/thanks',
    });
    // React and Vue set `kind` and `checkoutId` before these properties exist.
    button.setAttribute('kind', 'XRP');
    button.setAttribute('checkoutId', 'c0');
    document.body.append(button);
    await until(() => dialogOf(button), 'a drawn button');
    expect([button.kind, button.checkoutId, button.outerHTML.includes('checkout=')]).to.deep.equal([
      'XRP',
      'c0',
      false,
    ]);
    button.checkoutId = null;
    expect([button.checkoutId, button.hasAttribute('checkoutid')]).to.deep.equal([null, false]);
    expect(button.getAttribute('success-url')).to.equal('https://shop.example/thanks');
    expect([button.server, button.order, button.checkout]).to.deep.equal([
      'https://pay.example',
      'a.b.c',
      null,
    ]);
    await opened(button);
    expect(server.posts[0]!.body).to.deep.equal({
      order: 'a.b.c',
      success_url: 'https://shop.example/thanks',
    });
    expect(button.checkout!.stage).to.equal('choose');
    button.theme = 'dark';
    button.successUrl = null;
    await until(
      () =>
        checkoutOf(button)!.getAttribute('theme') === 'dark' &&
        !checkoutOf(button)!.hasAttribute('success-url'),
    );
    button.setAttribute('checkout', 'c1');
    expect(button.checkoutId).to.equal('c1');
    Object.assign(button, { checkout: 'c2' });
    expect(button.getAttribute('checkout')).to.equal('c2');
  });

  it('warns about misspelt attributes in the console', async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (line: string) => void (line.startsWith('crypto-checkout:') && lines.push(line));
    try {
      await opened(await place({ 'sucess-url': 'https://shop.example/' }));
      await until(() => lines.length);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain('is "success-url" meant?');
    } finally {
      console.warn = warn;
    }
  });

  it('closes on Escape, reports the stage and restores the focus', async () => {
    server.state = checkout('pay');
    const button = await place();
    triggerOf(button)!.focus();
    const dialog = await opened(button);
    await escape(dialog);
    await until(() => !dialog.open, 'closed');
    expect(closed.map(({ stage, target }) => [stage, target])).to.deep.equal([['pay', button]]);
    expect(button.shadowRoot!.activeElement).to.equal(triggerOf(button));
  });

  it('closes with its close button, unless the page prevents it', async () => {
    const button = await place();
    const dialog = await opened(button);
    const keep = (event: Event): void => event.preventDefault();
    button.addEventListener('checkout-close', keep);
    const close = button.shadowRoot!.querySelector<HTMLElement>('[part=close]')!;
    expect(close.getAttribute('aria-label')).to.equal('Close');
    close.click();
    expect(dialog.open).to.equal(true);
    button.removeEventListener('checkout-close', keep);
    close.click();
    expect(dialog.open).to.equal(false);
    expect(closed).to.have.length(2);
  });

  it('dispatches one uncancelable event when the browser closes the dialog itself', async () => {
    const button = await place();
    const dialog = await opened(button);
    button.addEventListener('checkout-close', (event) => event.preventDefault());
    dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
    expect([dialog.open, closed.map(({ cancelable }) => cancelable)]).to.deep.equal([true, [true]]);
    // The events after a second Escape without another interaction.
    dialog.dispatchEvent(new Event('cancel'));
    dialog.close();
    await until(() => closed.length > 1);
    await pause(50);
    expect(
      closed.map(({ cancelable, defaultPrevented }) => [cancelable, defaultPrevented]),
    ).to.deep.equal([
      [true, true],
      [false, false],
    ]);
    expect(
      closed.map(({ stage, bubbles, composed }) => [stage, bubbles, composed])[1],
    ).to.deep.equal(['choose', true, true]);
  });

  it('closes on a backdrop click only before a coin is chosen', async () => {
    const button = await place();
    const dialog = await opened(button);
    server.state = checkout('pay', { version: 2 });
    pressBeside(dialog);
    expect(dialog.open).to.equal(false);
    await opened(button);
    checkoutOf(button)!.refresh();
    await until(() => checkoutOf(button)!.checkout?.stage === 'pay');
    press(dialog, { clientX: innerWidth / 2, clientY: innerHeight / 2 });
    pressBeside(dialog);
    expect(dialog.open).to.equal(true);
    expect(closed).to.have.length(1);
  });

  it('locks and unlocks page scrolling', async () => {
    const overflow = (): string => getComputedStyle(document.documentElement).overflow;
    const before = overflow();
    const button = await place();
    await opened(button);
    expect(overflow()).to.equal('hidden');
    expect(document.documentElement.hasAttribute('style')).to.equal(false);
    await button.close();
    await until(() => overflow() === before);
    await opened(button);
    button.remove();
    await until(() => overflow() === before, 'the page scrolls again');
  });

  it('follows a payment after closing and reopens the same checkout', async () => {
    server.state = checkout('pay');
    const button = await place();
    const paid: Event[] = [];
    button.addEventListener('checkout-paid', (event) => {
      event.preventDefault();
      paid.push(event);
    });
    await opened(button);
    await until(() => FakeStream.all.length);
    await button.close();
    FakeStream.all.at(-1)!.send(checkout('paid', { version: 2 }));
    await until(() => paid.length);
    await opened(button);
    expect(checkoutOf(button)!.checkout!.stage).to.equal('paid');
    expect(server.posts).to.have.length(1);
    expect(paid).to.have.length(1);
  });

  const voiceBeside = (button: Element): Element | undefined =>
    [...button.shadowRoot!.children].find((child) => child.hasAttribute('aria-live'));
  const THANKS = 'https://shop.example/thanks';

  it('does not redirect a buyer who closed the dialog, and announces the payment', async () => {
    server.state = checkout('pay');
    const button = await place();
    await opened(button);
    await until(() => FakeStream.all.length);
    await button.close();
    await until(() => closed.length === 1);
    const leaving: Event[] = [];
    button.addEventListener('checkout-close', (event) => {
      event.preventDefault();
      leaving.push(event);
    });
    for (const [at, [stage, words]] of [
      ['seen', 'Payment detected.'],
      ['paid', 'Payment complete. Received: 0.00081234 BTC.'],
    ].entries()) {
      FakeStream.all
        .at(-1)!
        .send(checkout(stage!, { version: at + 2, success_url: stage === 'paid' ? THANKS : null }));
      await until(() => voiceBeside(button)?.textContent?.startsWith(words!), words);
      expect(voiceBeside(button)!.textContent).to.not.contain('Taking you back');
    }
    await pause(700);
    expect(leaving).to.deep.equal([]);
    await opened(button);
    await pause(700);
    const inner = checkoutOf(button)!;
    expect(
      inner.shadowRoot!.querySelector<HTMLAnchorElement>('[part=success-link]')!.href,
    ).to.equal(THANKS);
    expect(inner.shadowRoot!.querySelector('[part=stay-button]')).to.equal(null);
    expect(leaving).to.deep.equal([]);
  });

  it('cancels the redirect when the dialog is closed', async () => {
    server.state = checkout('pay');
    const button = await place();
    const dialog = await opened(button);
    await until(() => FakeStream.all.length);
    FakeStream.all.at(-1)!.send(checkout('paid', { version: 2, success_url: THANKS }));
    await until(() => checkoutOf(button)!.shadowRoot!.querySelector('[part=stay-button]'));
    dialog.close();
    await until(() => closed.length === 1);
    await pause(700);
    expect(closed).to.have.length(1);
    expect(voiceBeside(button)?.textContent ?? '').to.equal('');
  });

  it('does not announce beside a dialog of the shop, nor redirect from it', async () => {
    const host = document.body.appendChild(document.createElement('div'));
    host.className = 'test';
    const root = host.attachShadow({ mode: 'open' });
    const dialog = root.appendChild(document.createElement('dialog'));
    const inner = document.createElement('crypto-checkout');
    for (const [name, value] of Object.entries({ server: 'https://pay.example', order: 'a.b.c' }))
      inner.setAttribute(name, value);
    server.state = checkout('pay');
    dialog.append(inner);
    await until(() => FakeStream.all.length);
    FakeStream.all.at(-1)!.send(checkout('paid', { version: 2, success_url: THANKS }));
    await until(() => spoken(inner).startsWith('Payment complete.'));
    await pause(700);
    expect(root.children).to.have.length(1);
    expect(closed).to.deep.equal([]);
  });

  it('announces changes inside the open dialog', async () => {
    server.state = checkout('pay');
    const button = await place();
    await opened(button);
    await until(() => FakeStream.all.length);
    FakeStream.all.at(-1)!.send(checkout('seen', { version: 2 }));
    await until(() => spoken(checkoutOf(button)!).startsWith('Payment detected.'));
    expect(voiceBeside(button)?.textContent ?? '').to.equal('');
  });

  /** Opens the dialog on a screen so low that it scrolls. */
  const low = (dialog: HTMLDialogElement): void => {
    for (const [name, value] of Object.entries({
      'block-size': '220px',
      'max-block-size': '220px',
    }))
      dialog.style.setProperty(name, value);
  };
  const top = (element: Element): number => element.getBoundingClientRect().top;
  const edgeOf = (button: Element): number =>
    button.shadowRoot!.querySelector('[part=close]')!.getBoundingClientRect().bottom;

  it('keeps the focused heading clear of the close button', async () => {
    const button = await place();
    const dialog = await opened(button);
    const inner = checkoutOf(button)!;
    await until(() => deep(inner, '[part=submit]').length);
    low(dialog);
    // The scroll position after a longer list: at the top, where a browser does not scroll.
    dialog.scrollTop += top(deep(inner, 'h2')[0]!) - top(dialog) - 1;
    expect(top(deep(inner, 'h2')[0]!)).to.be.below(edgeOf(button));
    server.state = checkout('pay', { version: 2 });
    deep(inner, '[part=submit]')[0]!.focus({ preventScroll: true });
    deep(inner, '[part=submit]')[0]!.click();
    await until(
      () => deepActive()?.matches('h2') && inner.checkout?.stage === 'pay',
      'the heading has the focus',
    );
    await until(() => top(deep(inner, 'h2')[0]!) >= edgeOf(button), 'clear of the button');
    expect(top(deep(inner, '[part=clock]')[0]!)).to.be.at.least(edgeOf(button));
  });

  it('scrolls to the error of the last request', async () => {
    const button = await place();
    const dialog = await opened(button);
    const inner = checkoutOf(button)!;
    await until(() => deep(inner, '[part=submit]').length);
    low(dialog);
    dialog.scrollTop = dialog.scrollHeight;
    server.once(failing());
    deep(inner, '[part=submit]')[0]!.click();
    await until(() => deep(inner, '.note.bad').length, 'what went wrong');
    const [note] = deep(inner, '.note.bad');
    await until(() => top(note!) >= edgeOf(button), 'in view');
    expect(top(note!)).to.be.below(dialog.getBoundingClientRect().bottom);
  });

  it('stops polling when it is closed before a choice', async () => {
    const button = await place();
    await opened(button);
    await until(() => FakeStream.all.length);
    await button.close();
    await until(() => FakeStream.all.every(({ closed }) => closed));
  });

  it('uses a link of the shop as its trigger', async () => {
    const button = await place({}, '<a href="https://pay.example/pay/c1/">Pay</a>');
    expect(triggerOf(button)).to.equal(null);
    const link = button.querySelector('a')!;
    link.focus();
    expect(press(link)).to.equal(false);
    await until(() => dialogOf(button)!.open);
    await expect(button).to.be.accessible();
    await button.close();
    expect(document.activeElement).to.equal(link);
    link.addEventListener('click', (event) => event.preventDefault());
    press(link);
    press(link, { ctrlKey: true });
    await pause(30);
    expect(dialogOf(button)!.open).to.equal(false);
  });

  it('works inside another shadow root and beside other buttons', async () => {
    const host = document.body.appendChild(document.createElement('div'));
    host.className = 'test';
    const root = host.attachShadow({ mode: 'open' });
    const inside = await place({ order: 'first', locale: 'de' }, '', root);
    const beside = await place({ order: 'second' });
    server.state = checkout('pay', { id: 'one' });
    await opened(inside);
    expect(root.activeElement).to.equal(inside);
    expect(checkoutOf(inside)!.checkout!.id).to.equal('one');
    await inside.close();
    server.state = checkout('choose', { id: 'two' });
    await opened(beside);
    expect(checkoutOf(beside)!.checkout!.id).to.equal('two');
    expect(dialogOf(inside)!.open).to.equal(false);
    expect([dialogOf(inside)!.ariaLabel, dialogOf(beside)!.ariaLabel]).to.deep.equal([
      'Zahlung',
      'Payment',
    ]);
  });

  it('exports the parts of its content', async () => {
    server.state = checkout('pay');
    const button = await place();
    await opened(button);
    await until(() => checkoutOf(button)!.getAttribute('exportparts')?.includes('image'));
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = 'crypto-checkout-button::part(heading) { letter-spacing: 3px }';
    const heading = checkoutOf(button)!
      .shadowRoot!.querySelector('crypto-status')!
      .shadowRoot!.querySelector('[part~=heading]')!;
    expect(getComputedStyle(heading).letterSpacing).to.equal('3px');
    style.remove();
  });

  it('is a link with mode="redirect" and an id, and opens a checkout first with an order', async () => {
    const link = await place({ mode: 'redirect', checkout: 'c/1', order: '' });
    link.removeAttribute('order');
    await until(() => triggerOf(link)?.getAttribute('href') === 'https://pay.example/pay/c%2F1/');
    const invoice = await place({ mode: 'redirect', invoice: 'i1' });
    invoice.removeAttribute('order');
    await until(
      () => triggerOf(invoice)?.getAttribute('href') === 'https://pay.example/invoice/i1/',
    );
    server.state = new Response('{}', { status: 409 });
    const refused = await place({ mode: 'redirect' });
    press(triggerOf(refused)!);
    await until(() => dialogOf(refused)!.open, 'what went wrong is shown');
  });
});
