import { expect } from '@open-wc/testing';
import { checkout } from '../../test/support/fixture.ts';
import {
  FakeStream,
  deep,
  open,
  pause,
  serveEach,
  spoken,
  textOf,
  until,
} from '../../test/support/fake-server.ts';

const THANKS = 'https://shop.example/thanks';

/** An order that is paid while the buyer looks on; the page itself never leaves. */
async function pay(attributes: Record<string, string>) {
  const opened = await open(attributes);
  opened.element.addEventListener('checkout-close', (event) => event.preventDefault());
  await until(() => FakeStream.all.length);
  FakeStream.all.at(-1)!.send(checkout('paid', { version: 2, success_url: THANKS }));
  await until(() => deep(opened.element, '[part=success-link]').length);
  const closed = (): boolean => opened.events.some(({ type }) => type === 'checkout-close');
  return { ...opened, closed };
}

describe('redirect-after', () => {
  serveEach();

  for (const [wanted, seconds] of [
    ['', 20],
    ['5', 20],
    ['45', 45],
    ['3600', 60],
    ['soon', 20],
  ] as const)
    it(`"${wanted}" goes back after ${seconds} seconds, which the buyer hears first`, async () => {
      const { element } = await pay({ 'redirect-after': wanted });
      const told = new Intl.NumberFormat('en', {
        style: 'unit',
        unit: seconds < 60 ? 'second' : 'minute',
        unitDisplay: 'long',
      }).format(seconds < 60 ? seconds : 1);
      await until(() => spoken(element).includes(`Taking you back to the shop… (${told})`));
    });

  it('"off" leaves it to the buyer, whose main button goes at once', async () => {
    const { element, closed } = await pay({ 'redirect-after': 'off' });
    await pause(700);
    expect(closed()).to.equal(false);
    expect(textOf(element)).to.not.contain('Taking you back');
    const main = deep(element, '.primary') as HTMLAnchorElement[];
    expect(main.map(({ href }) => href)).to.deep.equal([THANKS]);
  });

  it('"now" goes back at once, unless the page prevents it', async () => {
    const { element, closed } = await pay({ 'redirect-after': 'now' });
    await until(closed);
    expect(textOf(element)).to.not.contain('Taking you back');
    expect(deep(element, '[part=stay-button]')).to.have.lengthOf(0);
  });
});
