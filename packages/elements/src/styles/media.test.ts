import { expect } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { checkout } from '../../test/support/fixture.ts';
import { FakeServer, deep, open, settled, until } from '../../test/support/fake-server.ts';

const SCREEN = { media: 'screen', reducedMotion: 'no-preference' } as const;

/** Emulates a medium, or skips the test: only Chromium supports it. */
async function show(
  test: Mocha.Context,
  media: Parameters<typeof emulateMedia>[0],
  query: string,
): Promise<void> {
  const refused = await emulateMedia(media).catch((error: unknown) => error);
  if (matchMedia(query).matches) return;
  if (/Chrome\//.test(navigator.userAgent))
    throw new Error(`${query} is not shown: ${String(refused)}`);
  test.skip();
}

describe('print and reduced motion', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
  });
  afterEach(async () => {
    server.stop();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
    await emulateMedia(SCREEN).catch(() => {});
  });

  it('prints a receipt black on white without buttons, in every theme', async function () {
    server.state = checkout('complete');
    const { element } = await open({ show: 'receipt', theme: 'dark' });
    element.style.setProperty('--crypto-checkout-background', '#123');
    await settled(element);
    await show(this, { media: 'print' }, 'print');
    const base = getComputedStyle(deep(element, '[part=base]')[0]!);
    expect([base.color, base.backgroundColor]).to.deep.equal([
      'rgb(0, 0, 0)',
      'rgb(255, 255, 255)',
    ]);
    for (const row of deep(element, '[part=fact] dt, [part=fact] dd'))
      expect(getComputedStyle(row).color).to.equal('rgb(0, 0, 0)');
    expect(
      deep(element, 'button, .button, [part=footer]').filter((one) => one.getClientRects().length),
    ).to.have.length(0);
    expect(deep(element, '[part=fact]').length).to.be.greaterThan(5);
  });

  it('prints payment details without buttons and their reserved height', async function () {
    server.state = checkout('pay');
    const { element } = await open();
    await settled(element);
    await until(
      () => deep(element, '[part=from]').length && deep(element, 'crypto-hand-off').length,
      'all that is on the screen',
    );
    await show(this, { media: 'print' }, 'print');
    const seen = deep(element, 'button, .button, [part=from], [part=footer]').filter(
      (one) => one.getClientRects().length,
    );
    expect(seen.map((one) => one.textContent.trim())).to.deep.equal([]);
    const room = deep(element, '.twin, .from, .room').filter(
      (one) => !one.textContent.trim() || one.matches('.twin, .from'),
    );
    for (const one of room) expect(one.getBoundingClientRect().height, one.className).to.equal(0);
    expect(
      deep(element, '[part=value]').every(
        (one) => one.getClientRects().length || one.closest('details'),
      ),
    ).to.equal(true);
  });

  it('respects prefers-reduced-motion', async function () {
    await show(this, { reducedMotion: 'reduce' }, '(prefers-reduced-motion: reduce)');
    server.state = checkout('paid');
    const { element } = await open();
    expect(deep(element, '*').flatMap((one) => one.getAnimations())).to.have.length(0);
    for (const one of deep(element, '*'))
      expect(getComputedStyle(one).animationName).to.equal('none');
  });
});
