import { expect } from '@open-wc/testing';
import { checkout } from '../../test/support/fixture.ts';
import {
  FakeServer,
  FakeStream,
  deep,
  failing,
  heading,
  moveClocks,
  open,
  pause,
  refusing,
  settled,
  spoken,
  textOf,
  until,
} from '../../test/support/fake-server.ts';

const gets = (server: FakeServer): number =>
  server.asked.filter(({ method }) => method === 'GET').length;

/** Records the delays of timers until the server stops. */
function watchTimers(): number[] {
  const waits: number[] = [];
  const { setTimeout: later } = window;
  window.setTimeout = ((run: TimerHandler, ms = 0, ...rest: unknown[]) => {
    waits.push(ms);
    return later(run, ms, ...rest);
  }) as typeof setTimeout;
  return waits;
}

describe('live updates', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
  });
  afterEach(() => {
    server.stop();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });

  it('follows an event stream and closes it with the element', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    const [stream] = FakeStream.all;
    expect(stream!.url).to.equal(
      'https://pay.example/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6/events?version=1&omit=qr',
    );
    stream!.send(checkout('seen', { version: 2 }));
    await until(() => heading(element) === 'Payment detected');
    const asked = gets(server);
    await pause(200);
    expect(gets(server)).to.equal(asked);
    element.remove();
    expect(stream!.closed).to.equal(true);
  });

  it('merges changes into the view that the stream refers to', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    const [stream] = FakeStream.all;
    stream!.send(1, 'current');
    const payment = checkout('pay').payment!;
    stream!.send({ version: 2, stage: 'pay', payment }, 'change');
    await until(() => element.checkout?.stage === 'pay');
    expect(element.checkout!.coins).to.deep.equal(checkout('choose').coins);
    stream!.send({ version: 3, stage: 'seen', payment: { paid: '0.1' } }, 'change');
    await until(() => heading(element) === 'Payment detected');
    expect(element.checkout!.payment).to.deep.equal({ ...payment, paid: '0.1' });
    expect(stream!.closed).to.equal(false);
  });

  it('asks for the whole view where a change has no view to refer to', async () => {
    server.start();
    const { events } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send('{"version":', 'change');
    await until(() => events.some(({ type }) => type === 'checkout-error'));
    expect(FakeStream.all[0]!.closed).to.equal(true);
  });

  it('polls with etags where event streams are blocked', async () => {
    server.start({ streams: false });
    const { element } = await open();
    await until(() => gets(server) > 2);
    expect(server.asked.at(-1)!.ifNoneMatch).to.equal('"1-choose"');
    server.state = checkout('seen', { version: 2 });
    await until(() => heading(element) === 'Payment detected');
  });

  it('polls where a stream breaks at once', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.fail();
    server.state = checkout('seen', { version: 2 });
    await until(() => heading(element) === 'Payment detected');
  });

  it('polls where a stream opens without delivering', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    server.state = checkout('seen', { version: 2 });
    await until(() => heading(element) === 'Payment detected');
  });

  it('replaces a silent stream by polling, and opens it again later', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('choose'));
    server.state = checkout('seen', { version: 2 });
    window.dispatchEvent(new Event('focus'));
    await until(() => heading(element) === 'Payment detected');
    expect(FakeStream.all[0]!.closed).to.equal(true);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 10_000;
    await until(() => FakeStream.all.length === 2);
    performance.now = now;
  });

  it('announces a lost connection, keeps the screen, and announces the reconnection', async () => {
    server.start({ streams: false });
    server.state = checkout('pay');
    const { element } = await open();
    server.state = failing();
    await until(() => textOf(element).includes('No connection since'));
    expect(textOf(element).replaceAll(' ', '')).to.contain(
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    );
    await until(() => spoken(element).includes('No connection since'));
    await expect(element).to.be.accessible();
    server.state = checkout('seen', { version: 2 });
    await until(() => heading(element) === 'Payment detected');
    await until(() => !textOf(element).includes('No connection since'));
  });

  for (const [name, lost] of [
    ['a connection', failing],
    ['a server', () => refusing(503)],
  ] as const)
    it(`removes the error of a choice when ${name} is back`, async () => {
      server.start({ streams: false });
      const { element } = await open();
      const refusals = (): HTMLElement[] => deep(element, '.note.bad');
      server.state = lost();
      await until(() => textOf(element).includes('No connection since'));
      deep(element, '[part=submit]')[0]!.click();
      await until(() => refusals().length === 1, 'a refusal');
      server.state = checkout('choose');
      await until(() => !textOf(element).includes('No connection since'));
      await settled(element);
      expect(refusals()).to.deep.equal([]);
    });

  it('keeps an error that the connection did not cause', async () => {
    server.start({ streams: false });
    const { element } = await open();
    server.once(refusing(403));
    deep(element, '[part=submit]')[0]!.click();
    await until(() => textOf(element).includes('did not accept this'));
    server.state = failing();
    await until(() => textOf(element).includes('No connection since'));
    server.state = checkout('choose');
    await until(() => !textOf(element).includes('No connection since'));
    expect(textOf(element)).to.contain('did not accept this');
  });

  it('shows the start of the outage and the end of the price on the server clock', async () => {
    server.start({ streams: false });
    const now = Date.parse('2031-05-05T10:00:00Z');
    const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
    const clock = (minutes: number): string =>
      new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(now + minutes * 60_000);
    server.state = checkout('pay', {
      server_time: at(0),
      payment: { ...checkout('pay').payment!, expires_at: at(10) },
    });
    const { element } = await open();
    moveClocks({ steady: 180_000, wall: 180_000 });
    server.state = failing();
    await until(() =>
      textOf(element).includes(
        `No connection since ${clock(3)}. You can still pay until ${clock(10)}`,
      ),
    );
    await until(() => spoken(element).includes(`until ${clock(10)}`));
    // The price has expired: its end is no longer shown.
    moveClocks({ steady: 480_000, wall: 480_000 });
    await until(() => textOf(element).includes('A payment you have sent is safe'));
    expect(textOf(element)).to.contain(`No connection since ${clock(3)}.`);
    expect(textOf(element).replaceAll(' ', '')).to.contain(
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    );
  });

  it('does not mention the price when nothing is due', async () => {
    server.start({ streams: false });
    server.state = checkout('seen');
    const { element } = await open();
    server.state = failing();
    await until(() => textOf(element).includes('A payment you have sent is safe'));
  });

  it('polls with growing pauses', async () => {
    server.start({ streams: false });
    const waits = watchTimers();
    await open();
    server.state = failing();
    await until(() => gets(server) > 7);
    const pauses = waits.filter((ms) => ms >= 700 && ms <= 20_000);
    expect(Math.max(...pauses), pauses.join()).to.be.greaterThan(7000);
    expect(new Set(pauses).size).to.be.greaterThan(4);
  });

  it('spreads the retries of many clients', async () => {
    server.start();
    await open();
    await open();
    await until(() => FakeStream.all.length === 2, 'a stream for each');
    for (const stream of FakeStream.all) stream.send(checkout('choose'));
    server.state = failing();
    const waits = watchTimers();
    const { random } = Math;
    // The extremes of the random spread.
    for (const [at, chance] of [0, 0.999].entries()) {
      Math.random = () => chance;
      FakeStream.all[at]!.fail();
    }
    Math.random = random;
    expect(waits).to.have.length(2);
    const [sooner, statusModule] = waits.toSorted((a, b) => a - b) as [number, number];
    expect(statusModule / sooner).to.be.greaterThan(1.25);
  });

  it('polls at once after a sleep and reopens the stream', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('choose'));
    await settled(element);
    const asked = gets(server);
    moveClocks({ wall: 3_600_000 });
    await until(() => gets(server) > asked, 'a question');
    expect(server.asked.at(-1)!.ifNoneMatch).to.equal(null);
    expect(FakeStream.all[0]!.closed).to.equal(true);
    await until(() => FakeStream.all.length === 2, 'a new stream');
  });

  it('reports at once that the device went offline', async () => {
    server.start();
    server.state = checkout('pay');
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('pay'));
    await settled(element);
    server.state = failing();
    const online = Object.getOwnPropertyDescriptor(Navigator.prototype, 'onLine')!;
    Object.defineProperty(Navigator.prototype, 'onLine', { configurable: true, get: () => false });
    await pause(520);
    window.dispatchEvent(new Event('offline'));
    await until(() => textOf(element).includes('No connection since'));
    Object.defineProperty(Navigator.prototype, 'onLine', online);
    server.state = checkout('pay');
    window.dispatchEvent(new Event('online'));
    await until(() => !textOf(element).includes('No connection since'));
  });

  it('polls at once when the buyer returns', async () => {
    server.start();
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('choose'));
    await settled(element);
    for (const wake of ['online', 'focus', 'pageshow']) {
      const asked = gets(server);
      window.dispatchEvent(new Event(wake));
      await until(() => gets(server) > asked, wake);
      await pause(520);
    }
  });

  it('polls less often after failures, and respects retry-after', async () => {
    server.start({ streams: false });
    const { element, events } = await open();
    await until(() => gets(server) > 0);
    server.state = refusing(429, { 'retry-after': '60' });
    await until(() => events.some(({ type }) => type === 'checkout-error'));
    const asked = gets(server);
    await pause(500);
    expect(gets(server)).to.equal(asked);
    expect(heading(element)).to.equal('Choose a coin');
  });

  it('redraws only what has changed', async () => {
    server.start();
    server.state = checkout('seen');
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(checkout('seen'));
    await pause(300);
    await settled(element);
    const changed: string[] = [];
    const observer = new MutationObserver((records) =>
      changed.push(
        ...records.map(
          ({ target, type, attributeName }) => `${type} ${attributeName ?? target.nodeName}`,
        ),
      ),
    );
    for (const root of [element, ...deep(element, '*')].flatMap((one) => one.shadowRoot ?? []))
      observer.observe(root, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
    const next = checkout('seen', { version: 2, server_time: '2026-11-21T12:00:30.000000+00:00' });
    FakeStream.all[0]!.send({
      ...next,
      payment: { ...next.payment!, confirmations: { have: 2, need: 2, final: 6 } },
    });
    await settled(element);
    observer.disconnect();
    // The time left, a step of the confirmations, and their text.
    expect(changed.filter((change) => !change.endsWith('SPAN'))).to.deep.equal([
      'characterData #text',
      'attributes class',
      'characterData #text',
    ]);
  });

  it('closes the stream after a final stage and rests while the page is hidden', async () => {
    server.start();
    server.state = checkout('paid');
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    const [stream] = FakeStream.all;
    server.state = checkout('complete', { version: 2 });
    stream!.send(server.state);
    await until(() => textOf(element).includes('Confirmed and final.'));
    expect(stream!.closed).to.equal(true);
    const asked = gets(server);
    await pause(500);
    expect(gets(server)).to.equal(asked);
    expect(FakeStream.all).to.have.length(1);
  });

  it('shows a second payment after the end when the buyer returns', async () => {
    server.start();
    server.state = checkout('complete');
    const { element, events } = await open();
    server.state = checkout('complete', { version: 2, notes: ['paid_twice'] });
    window.dispatchEvent(new Event('focus'));
    await until(() => textOf(element).includes('This order was paid more than once.'));
    await until(() => spoken(element).includes('This order was paid more than once.'));
    expect(FakeStream.all).to.have.length(0);
    expect(events.map(({ type }) => type)).to.deep.equal(['checkout-ready', 'checkout-paid']);
  });

  it('shows a second payment after the end with growing pauses', async () => {
    server.start();
    server.state = checkout('complete');
    const { element } = await open();
    await until(() => gets(server) === 1, 'a first look');
    expect(server.asked.at(-1)!.ifNoneMatch).to.equal(null);
    const first = performance.now();
    server.state = checkout('complete', { version: 2, notes: ['paid_twice'] });
    await until(() => textOf(element).includes('This order was paid more than once.'));
    expect(performance.now() - first).to.be.greaterThan(2000);
    expect(FakeStream.all).to.have.length(0);
  });

  it('ignores a lost connection after the end', async () => {
    server.start();
    server.state = checkout('complete');
    const { element, events } = await open();
    for (const reply of [failing(), refusing(404), refusing(503)]) {
      server.state = reply;
      const asked = gets(server);
      window.dispatchEvent(new Event('focus'));
      await until(() => gets(server) > asked);
      await pause(520);
    }
    expect(textOf(element)).not.to.contain('No connection');
    expect(events.map(({ type }) => type)).to.deep.equal(['checkout-ready', 'checkout-paid']);
  });

  it('counts down on the server clock', async () => {
    server.start();
    server.state = checkout('pay', {
      server_time: '2031-05-05T00:00:00.000000+00:00',
      payment: { ...checkout('pay').payment!, expires_at: '2031-05-05T00:10:00.000000+00:00' },
    });
    const { element } = await open();
    expect(textOf(element)).to.match(/\b(10:00|9:5\d)\b/);
  });
});
