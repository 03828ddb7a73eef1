import { expect } from '@open-wc/testing';
import type { CryptoCheckout } from '../index.ts';
import { SCENES } from './list.ts';
import { STEP_EVENT } from './player.ts';
import { deep, heading, mount, settled, textOf, until } from '../../test/support/fake-server.ts';

const play = async (demo: string): Promise<{ element: CryptoCheckout; events: Event[] }> => {
  const mounted = await mount({ demo });
  await until(() => mounted.events.length, 'a first event');
  await settled(mounted.element);
  return mounted;
};
const typesOf = (events: Event[]): string[] => events.map(({ type }) => type);

describe('scenarios', () => {
  afterEach(() => document.querySelector('crypto-checkout')?.remove());

  it('holds a step without requests and advances on the event', async () => {
    const fetched: string[] = [];
    const real = window.fetch;
    window.fetch = (input, init) => {
      fetched.push(input instanceof Request ? input.url : input.toString());
      return real(input, init);
    };
    const { element, events } = await play('underpaid#1');
    expect(heading(element)).to.equal('Send exactly');
    dispatchEvent(new CustomEvent(STEP_EVENT));
    await until(() => heading(element) === 'Partly paid', 'the next step');
    expect(typesOf(events)).to.deep.equal(['checkout-ready', 'checkout-change']);
    expect(fetched.filter((url) => url.includes('checkouts'))).to.deep.equal([]);
    window.fetch = real;
  });

  it('responds to the choice of the buyer', async () => {
    const { element } = await play('choose#1');
    (deep(element, 'input[value=XRP]')[0] as HTMLInputElement).click();
    await settled(element);
    deep(element, '[part~=submit]')[0]!.click();
    await until(() => element.checkout?.payment?.kind === 'XRP', 'the choice');
    await settled(element);
    expect(textOf(element)).to.contain('238187372');
  });

  it('keeps what happened to money that goes back', async () => {
    const { element: asked } = await play('refunded#4');
    expect(heading(asked)).to.equal('Your payment arrived late');
    expect(deep(asked, '.primary')).to.deep.equal([]);
    asked.remove();
    // Once it is sent, the order can be paid again.
    const { element: sent } = await play('refunded#last');
    expect(heading(sent)).to.equal('This price has expired');
    expect(textOf(sent)).to.contain('Refund sent.');
    expect(deep(sent, '.primary').map(({ textContent }) => textContent?.trim())).to.deep.equal([
      'Get a new price',
    ]);
  });

  it('reports an unknown name', async () => {
    const { error } = console;
    let said = '';
    console.error = (text: string) => (said = text);
    const { events } = await play('no-such-scenario');
    console.error = error;
    expect(typesOf(events)).to.deep.equal(['checkout-error']);
    expect(said).to.contain('underpaid-late');
  });

  it('changes with the attribute', async () => {
    const { element } = await play('pay#1');
    element.setAttribute('demo', 'paid#last');
    await until(() => heading(element) === 'Payment complete', 'the other scenario');
  });

  for (const name of Object.keys(SCENES).filter((one) => one !== 'slow'))
    it(`${name}: its last step is accessible`, async () => {
      const { element } = await play(`${name}#last`);
      await expect(element).to.be.accessible();
    });
});
