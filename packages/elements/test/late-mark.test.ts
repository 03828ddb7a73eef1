import { expect } from '@open-wc/testing';
import { checkout, xrp } from './support/fixture.ts';
import { FakeStream, deep, open, serveEach, until } from './support/fake-server.ts';

// In a file of its own: a page loads the marks of less common coins once.
describe('the mark of a less common coin', () => {
  // A list of coins would load its mark.
  serveEach((server) => (server.state = checkout('pay')));

  it('appears also when the coin follows another one', async () => {
    const network = (element: Element): HTMLElement => deep(element, '[part=network]')[0]!;
    const { element } = await open();
    await until(() => FakeStream.all.length);
    await until(() => deep(element, '[part=network] svg').length, 'the mark of bitcoin');
    await until(() => deep(element, '[part=copy-button]').length, 'the tools');
    FakeStream.all[0]!.send({ ...xrp(), version: 2 });
    await until(() => network(element).textContent.includes('XRP Ledger'), 'the other coin');
    await until(() => deep(element, '[part=network] svg').length, 'the mark of XRP');
    expect(network(element).textContent).to.contain('XRP Ledger');
  });
});
