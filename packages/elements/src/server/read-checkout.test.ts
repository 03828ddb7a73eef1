import { expect } from '@open-wc/testing';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorEvent } from '../index.ts';
import { checkout } from '../../test/support/fixture.ts';
import {
  FakeServer,
  FakeStream,
  heading,
  mount,
  open,
  settled,
  textOf,
  until,
} from '../../test/support/fake-server.ts';

describe('invalid answers', () => {
  let server: FakeServer;
  let thrown: unknown[] = [];
  const onError = (event: ErrorEvent | PromiseRejectionEvent): void =>
    void thrown.push('reason' in event ? event.reason : event.error);
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    thrown = [];
    addEventListener('error', onError);
    addEventListener('unhandledrejection', onError);
  });
  afterEach(() => {
    server.stop();
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onError);
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
    expect(thrown).to.deep.equal([]);
    expect((window as { hacked?: unknown }).hacked).to.equal(undefined);
  });

  it('reports malformed for everything that is no checkout', async () => {
    for (const body of [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      '<html>',
      '{"id":"x"}',
      '{"id":1,"stage":2}',
      '{"id":"x","stage":"pay"}',
      '{"id":"x","stage":"pay","notes":[],"coins":[],"payment":{}}',
    ]) {
      server.state = new Response(body, { headers: { 'content-type': 'application/json' } });
      const { element, events } = await mount({ server: 'https://pay.example', checkout: 'c' });
      await until(() => textOf(element).includes('couldn’t load this payment'), body);
      expect((events[0] as CheckoutErrorEvent).code).to.equal('malformed');
      element.remove();
    }
  });

  it('reports malformed for members of the wrong type', async () => {
    const wrong: unknown[] = [1, true, null, [], {}, [null], [[]], 'x'];
    const whole = checkout('pay') as unknown as Record<string, unknown>;
    for (const name of Object.keys(whole))
      for (const value of wrong) {
        if (name === 'id' || name === 'stage') continue;
        server.state = { ...whole, [name]: value } as unknown as Checkout;
        const { element } = await mount({ server: 'https://pay.example', checkout: 'c' });
        await until(() => heading(element) !== '', `${name}: ${JSON.stringify(value)}`);
        element.remove();
      }
    const part = whole['payment'] as Record<string, unknown>;
    for (const name of Object.keys(part))
      for (const value of wrong) {
        server.state = { ...whole, payment: { ...part, [name]: value } } as unknown as Checkout;
        const { element } = await mount({ server: 'https://pay.example', checkout: 'c' });
        await until(() => heading(element) !== '', `payment.${name}: ${JSON.stringify(value)}`);
        await settled(element);
        element.remove();
      }
  }).timeout(60_000);

  it('ignores invalid stream events', async () => {
    const { element, events } = await open();
    await until(() => FakeStream.all.length);
    FakeStream.all[0]!.send('{"not":"it"');
    await settled(element);
    expect(heading(element)).to.equal('Choose a coin');
    expect((events.at(-1) as CheckoutErrorEvent).code).to.equal('malformed');
  });

  it('survives an invalid server attribute', async () => {
    for (const address of ['javascript:alert(1)', 'http://', '::', 'ftp://x']) {
      const { element, events } = await mount({ server: address, checkout: 'c' });
      await until(() => events.length, address);
      element.remove();
    }
  });

  it('survives an invalid snapshot', async () => {
    const { element } = await mount({
      server: 'https://pay.example',
      checkout: 'c',
      snapshot: '{"id":',
    });
    await until(() => heading(element) === 'Choose a coin');
  });
});
