import { expect } from '@open-wc/testing';
import { addressOf } from '../server/checkout-server.ts';
import { checkout } from '../../test/support/fixture.ts';
import { ServerSource } from './server-source.ts';
import { speak, cancelSpeech, liveRegionOf } from '../status/live-region.ts';
import { FakeServer, FakeStream, failing, pause, until } from '../../test/support/fake-server.ts';

const SERVER = 'https://pay.example/';
const follower = { checkout: () => {}, connection: () => {}, failure: () => {} };

describe('ServerSource', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
  });
  afterEach(() => server.stop());

  it('opens an order once and polls its checkout afterwards', async () => {
    const source = new ServerSource({
      server: SERVER,
      order: 'a.b.c',
      successUrl: 'https://shop.example/thanks',
    });
    await source.open();
    await source.open();
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /checkouts',
      'GET /checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6',
    ]);
  });

  it('opens the order again until the server has answered', async () => {
    const source = new ServerSource({ server: SERVER, order: 'a.b.c' });
    server.once(failing());
    await source.open().catch(() => {});
    await source.open();
    expect(server.posts).to.have.length(2);
  });

  it('passes the success URL, also for an existing checkout', async () => {
    await new ServerSource({
      server: SERVER,
      id: 'a/b?',
      successUrl: 'https://shop.example/?a=1&b=2',
    }).open();
    expect(server.asked[0]!.path).to.equal(
      '/checkouts/a%2Fb%3F?success_url=https%3A%2F%2Fshop.example%2F%3Fa%3D1%26b%3D2',
    );
  });

  it('follows once for repeated calls, and not after stop', async () => {
    const source = new ServerSource({ server: SERVER, id: 'c' });
    source.follow(follower);
    source.follow(follower);
    await until(() => FakeStream.all.length);
    await pause(30);
    expect(FakeStream.all).to.have.length(1);
    source.stop();
    expect(FakeStream.all[0]!.closed).to.equal(true);
    source.follow(follower);
    source.stop();
    await pause(30);
    expect(FakeStream.all.every(({ closed }) => closed)).to.equal(true);
  });

  describe('while a stream delivers', () => {
    const chosen = checkout('pay', { version: 2 });
    const nothing = (version = ''): Response =>
      new Response(null, { status: 204, headers: { 'checkout-version': version } });
    const streaming = async (): Promise<ServerSource> => {
      const source = new ServerSource({ server: SERVER, order: 'a.b.c' });
      const view = await source.open();
      source.follow(follower, false, view);
      await until(() => FakeStream.all.length);
      FakeStream.all[0]!.send('1', 'current');
      return source;
    };

    it('lets it bring the view of a choice, also before the answer', async () => {
      const source = await streaming();
      server.once(nothing());
      const early = source.post('payment', { kind: 'BTC' });
      FakeStream.all[0]!.send(chosen);
      expect((await early).version).to.equal(2);
      server.once(nothing());
      const late = source.post('payment', { kind: 'ETH' });
      await until(() => server.posts.length === 3);
      await pause(20);
      FakeStream.all[0]!.send({ ...chosen, version: 3 });
      expect((await late).version).to.equal(3);
      expect(server.posts.map(({ prefer }) => prefer)).to.deep.equal([
        undefined,
        'return=minimal',
        'return=minimal',
      ]);
      source.stop();
    });

    it('requests the view where the stream does not bring it', async () => {
      const source = await streaming();
      server.once(nothing());
      server.state = chosen;
      expect((await source.post('payment', { kind: 'BTC' })).version).to.equal(2);
      expect(server.asked.at(-1)!.method).to.equal('GET');
      // A stream that brings nothing would delay the next choice again.
      expect(FakeStream.all[0]!.closed).to.equal(true);
      source.stop();
    });

    it('waits for the view of the choice where another change comes first', async () => {
      const source = await streaming();
      server.once(nothing('3'));
      const next = source.post('payment', { kind: 'BTC' });
      FakeStream.all[0]!.send(checkout('choose', { version: 2 }));
      await until(() => server.posts.length === 2);
      await pause(5);
      FakeStream.all[0]!.send({ ...chosen, version: 3 });
      expect(await next).to.include({ version: 3, stage: 'pay' });
      expect(server.asked.at(-1)!.method).to.equal('POST');
      source.stop();
    });

    it('does not wait for a choice that changes nothing', async () => {
      const source = await streaming();
      FakeStream.all[0]!.send(chosen);
      server.once(nothing('2'));
      expect((await source.post('payment', { kind: 'BTC' })).version).to.equal(2);
      expect(server.asked.at(-1)!.method).to.equal('POST');
      source.stop();
    });

    it('takes a view in the answer', async () => {
      const source = await streaming();
      server.state = chosen;
      expect((await source.post('payment', { kind: 'BTC' })).version).to.equal(2);
      expect(server.asked.at(-1)!.method).to.equal('POST');
      source.stop();
    });
  });

  it('builds addresses relative to any server', () => {
    expect(addressOf('https://pay.example/shop//', 'pay', '../x')).to.equal(
      'https://pay.example/shop/pay/..%2Fx',
    );
    expect(addressOf('', 'checkouts')).to.equal('/checkouts');
    expect(addressOf(null, 'checkouts')).to.equal('/checkouts');
  });
});

describe('the live region', () => {
  it('joins simultaneous announcements, drops repetitions, and clears itself', async () => {
    const server = new FakeServer();
    server.start();
    const root = document.body.appendChild(document.createElement('div'));
    speak(root, 'Time left: 5 minutes');
    speak(root, 'Need more time?');
    speak(root, 'Time left: 5 minutes');
    speak(root, '');
    await until(() => liveRegionOf(root).textContent === 'Time left: 5 minutes. Need more time?');
    speak(root, 'Time left: 5 minutes. Need more time?');
    await until(
      () => liveRegionOf(root).textContent === 'Time left: 5 minutes. Need more time?\u00a0',
      'the same again is a change',
    );
    speak(root, 'Time left: 3 minutes');
    await until(
      () => liveRegionOf(root).textContent === 'Time left: 3 minutes',
      'one alone as it is',
    );
    expect(root.querySelectorAll('[aria-live]')).to.have.length(1);
    await until(() => liveRegionOf(root).textContent === '', 'silence');
    server.stop();
    await expect(root).to.be.accessible();
    root.remove();
  });

  it('replaces announcements of the same topic and cancels outdated ones', async () => {
    const server = new FakeServer();
    server.start();
    const root = document.body.appendChild(document.createElement('div'));
    const said: string[] = [];
    speak(root, 'Payment detected.', { about: 'news', onSpoken: () => said.push('seen') });
    speak(root, 'Connected again.');
    speak(root, 'Paid.', { about: 'news', onSpoken: () => said.push('paid') });
    await until(() => liveRegionOf(root).textContent === 'Connected again. Paid.');
    expect(said).to.deep.equal(['paid']);
    speak(root, 'Paid.', { about: 'news' });
    speak(root, 'Taking you back to the shop…', { about: 'leaving' });
    cancelSpeech(root, 'leaving');
    await until(() => liveRegionOf(root).textContent === 'Paid.');
    speak(root, 'Taking you back to the shop…', { about: 'leaving' });
    await until(() => liveRegionOf(root).textContent.startsWith('Taking'));
    cancelSpeech(root, 'leaving');
    expect(liveRegionOf(root).textContent).to.equal('');
    speak(root, 'Connected again.');
    await until(() => liveRegionOf(root).textContent === 'Connected again.');
    cancelSpeech(root, 'leaving');
    expect(liveRegionOf(root).textContent).to.equal('Connected again.');
    server.stop();
    root.remove();
  });
});
