import { expect } from '@open-wc/testing';
import { checkout } from '../../test/support/fixture.ts';
import {
  FakeServer,
  deep,
  failing,
  listen,
  open,
  pause,
  refusing,
  serveEach,
  settled,
  spoken,
  textOf,
  until,
} from '../../test/support/fake-server.ts';

const UNREACHABLE = 'The payment server cannot be reached.';
const LOST = 'No connection since';

describe('a request without a connection', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  const press = (element: Element): void => deep(element, '[part=submit]')[0]!.click();
  const notes = (element: Element): string[] =>
    deep(element, '[part=note]').map(({ textContent }) => textContent.trim());

  it('shares the existing note and is announced once', async () => {
    server.start({ streams: false });
    const { element } = await open();
    server.state = failing();
    await until(() => textOf(element).includes(LOST));
    await until(() => spoken(element).includes(LOST));
    expect(deep(element, '.note.bad')).to.have.length(0);
    const before = spoken(element);
    const said = listen(element);
    press(element);
    await until(() => deep(element, '.note.bad').length === 1, 'an answer');
    await until(() => said.length);
    await pause(300);
    expect(notes(element)).to.have.length(1);
    // There is nothing to pay yet: the choice needs the connection.
    expect(notes(element)[0]).to.contain(UNREACHABLE);
    // The region may still hold the earlier announcement when the note changes.
    const news = said.filter((text, at) => at > 0 || text !== before);
    expect(news).to.have.length(1);
    expect(news[0]).to.contain(UNREACHABLE);
    await expect(element).to.be.accessible();
    server.state = checkout('choose');
    await until(() => !textOf(element).includes(UNREACHABLE));
    await settled(element);
    expect(notes(element)).to.deep.equal([]);
  });

  it('is not announced again when the connection is reported lost', async () => {
    server.start({ streams: false });
    const { element } = await open();
    const said = listen(element);
    server.state = failing();
    press(element);
    await until(() => textOf(element).includes(UNREACHABLE));
    await until(() => said.length);
    await pause(300);
    expect(notes(element)).to.have.length(1);
    expect(deep(element, '.note.bad')).to.have.length(1);
    expect(said).to.have.length(1);
    server.state = checkout('choose');
    await until(() => said.at(-1) === 'Connected again.');
  });

  it('is announced before the end of the price', async () => {
    server.start({ streams: false });
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => deep(element, 'form[method=post] button').length > 0, 'a form');
    const said = listen(element);
    server.state = failing();
    deep(element, 'form[method=post] button')[0]!.click();
    await until(() => textOf(element).includes('You can still pay until'));
    await until(() => said.some((text) => text.includes('You can still pay until')));
    expect(said.filter((text) => text.includes(UNREACHABLE))).to.have.length(1);
    expect(said.filter((text) => text.includes(LOST))).to.have.length(1);
  });

  it('does not silence a connection that is lost much later', async () => {
    server.start({ streams: false });
    const { element } = await open();
    server.once(failing());
    press(element);
    await until(() => spoken(element).includes(UNREACHABLE));
    const { length } = server.asked;
    await until(() => server.asked.length > length + 1, 'the server is there');
    server.state = failing();
    await until(() => spoken(element).includes(LOST));
  });

  it('offers the other coins where a payment in one was refused', async () => {
    server.start({ streams: false });
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => deep(element, 'form[method=post] button').length > 0, 'a form');
    const said = listen(element);
    server.once(refusing(409));
    deep(element, 'form[method=post] button')[0]!.click();
    const refused = 'This coin can’t be used right now. Please choose another one.';
    await until(() => textOf(element).includes(refused));
    await until(() => said.includes(refused));
    const link = deep(element, '.note.bad a')[0]!;
    expect(link.textContent).to.equal('Change coin');
    expect(link.getAttribute('href')).to.match(/\/pay\/[0-9a-f]+\/\?show=coins$/);
    await expect(element).to.be.accessible();
    link.click();
    await until(() => deep(element, '[part=picker]').length > 0, 'the coins');
    expect(notes(element)).to.deep.equal([]);
    // The coins are on the screen already.
    server.once(refusing(409));
    press(element);
    await until(() => notes(element).includes(refused));
    expect(deep(element, '.note.bad a')).to.deep.equal([]);
  });

  it('keeps the note of another error', async () => {
    server.start({ streams: false });
    const { element } = await open();
    server.once(refusing(403));
    press(element);
    await until(() => textOf(element).includes('did not accept this'));
    server.state = failing();
    await until(() => textOf(element).includes(LOST));
    expect(notes(element)).to.have.length(2);
  });
});
