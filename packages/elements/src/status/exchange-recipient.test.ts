import { expect } from '@open-wc/testing';
import { checkout } from '../../test/support/fixture.ts';
import {
  type FakeServer,
  deep,
  open,
  serveEach,
  textOf,
  until,
} from '../../test/support/fake-server.ts';
import { tether } from '../../test/support/situations.ts';

const LEGAL = { name: 'Quay & Co. Ltd', address: '1 Quay, Cork', country: 'IE', asked: true };

describe("an exchange's questions", () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  const withLegal = (view: ReturnType<typeof tether>, legal: typeof LEGAL | null = LEGAL) => ({
    ...view,
    merchant: { ...view.merchant, legal },
  });
  const inList = (element: Element, selector: string): Element[] =>
    deep(element, 'crypto-copy-list').flatMap((list) => [
      ...list.shadowRoot!.querySelectorAll(selector),
    ]);
  const values = (element: Element): string[] =>
    inList(element, '[part=value]').map(({ textContent }) => textContent ?? '');

  it('have their answers to copy, open where an exchange certainly asks', async () => {
    server.state = withLegal(tether({ from: 'exchange' }));
    const { element } = await open();
    await until(() => values(element).length === 6);
    expect(values(element)).to.deep.equal([
      'A company',
      'The company’s own wallet, not yours',
      'Quay & Co. Ltd',
      '1 Quay, Cork',
      'Ireland',
      `Payment for order ${element.checkout!.order.order_id}`,
    ]);
    const [details] = deep(element, '[part=recipient]') as HTMLDetailsElement[];
    expect(details!.open).to.equal(true);
    expect(inList(element, '[part=copy-button]')).to.have.lengthOf(6);
  });

  it('are folded below 1,000 EUR, and left out for a wallet or without a company', async () => {
    server.state = withLegal(tether({ from: 'exchange' }), { ...LEGAL, asked: false });
    const { element } = await open();
    await until(() => deep(element, '[part=recipient]').length);
    expect((deep(element, '[part=recipient]')[0] as HTMLDetailsElement).open).to.equal(false);
    for (const [at, view] of [
      withLegal(tether()),
      withLegal(tether({ from: 'exchange' }), null),
    ].entries()) {
      server.state = { ...view, version: at + 10 };
      element.refresh();
      await until(() => element.checkout?.version === at + 10);
      await until(() => deep(element, '[part=recipient]').length === 0);
    }
  });

  it('are announced before the price runs, above 1,000 EUR only', async () => {
    const hint = 'Above 1,000 EUR it asks who receives the money';
    server.state = withLegal(checkout('choose'));
    const { element } = await open();
    await until(() => textOf(element).includes(hint));
    const [note] = deep(element, '.note').filter((one) => one.textContent.includes(hint));
    const [first] = deep(element, '[part=list] label');
    expect(note!.getBoundingClientRect().bottom).to.be.below(first!.getBoundingClientRect().top);
    server.state = {
      ...withLegal(checkout('choose'), { ...LEGAL, asked: false }),
      version: 10,
    };
    element.refresh();
    await until(() => !textOf(element).includes(hint));
  });
});

describe("the shop's logo", () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  it('is beside the name, which stands alone when the image cannot be shown', async () => {
    const view = checkout('pay');
    // A port that browsers refuse.
    const logo = 'http://localhost:1/logo.svg';
    server.state = { ...view, merchant: { ...view.merchant, logo } };
    const { element } = await open();
    await until(() => deep(element, '[part=logo]').length === 0);
    expect(textOf(element)).to.include(view.merchant.name);
  });

  it('is no other link than to an image on a server', async () => {
    const view = checkout('pay');
    server.state = { ...view, merchant: { ...view.merchant, logo: 'javascript:alert(1)' } };
    const { element } = await open();
    expect(deep(element, '[part=logo]')).to.have.lengthOf(0);
  });
});
