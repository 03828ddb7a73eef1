import { CHAINS, type ChainId, KINDS } from '@crypto-checkout/protocol/kind';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { checkout as schema } from '@crypto-checkout/protocol/schema/checkout';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SCENES, parseScenario } from '../packages/elements/src/scenario/list.ts';
import { STEP_EVENT, createPlayer } from '../packages/elements/src/scenario/player.ts';
import { DOLLARS } from '../packages/elements/src/scenario/price.ts';
import type { Scene } from '../packages/elements/src/scenario/scene.ts';
import { LNURL, TARGETS } from '../packages/elements/src/scenario/target.ts';
import { walletLink } from '../packages/elements/src/server/safe-link.ts';
import type { SourceListener } from '../packages/elements/src/server/source.ts';
import { deriveTarget } from '../packages/chains/src/deposit-target.ts';
import { publicKeysOf } from '../packages/chains/src/keys.ts';

const scenes: [string, Scene][] = Object.entries(SCENES);
let page: EventTarget;
const follower = () => ({
  checkout: vi.fn<SourceListener['checkout']>(),
  connection: vi.fn<SourceListener['connection']>(),
  failure: vi.fn<SourceListener['failure']>(),
});

beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('every step of every scenario', () => {
  const steps = scenes.flatMap(([name, { steps }]) =>
    steps.map((step, at) => [`${name}#${at + 1}`, step] as const),
  );
  it.each(steps)(
    '%s is a view as a server sends it, or the failure that it names',
    async (demo, { stage, fault }) => {
      const player = createPlayer(demo);
      if (fault === 'slow') return;
      if (fault && fault !== 'offline')
        return expect(player.open()).rejects.toMatchObject({ code: fault });
      const view = await player.open();
      expect(schema.parse(view)).toEqual(view);
      expect(view.stage).toBe(stage);
      expect(JSON.stringify(await createPlayer(demo).open())).toBe(JSON.stringify(view));
      player.stop();
    },
  );
});

describe('every kind', () => {
  const plain = scenes.filter(([, { steps, kinds, kind }]) => !kinds && !kind && !steps[0]?.fault);
  it.each(KINDS.map(({ kind }) => kind).filter((kind) => kind !== 'JAMBO-SOL'))(
    '%s can be paid with in every stage',
    async (kind) => {
      for (const [name, { steps }] of plain) {
        const player = createPlayer(`${name}:${kind}#last`);
        const view = await player.open();
        expect(schema.parse(view), name).toEqual(view);
        if (steps.at(-1)?.stage !== 'choose') expect(view.payment?.kind, name).toBe(kind);
        player.stop();
      }
    },
  );
});

describe('what is due, paid and left', () => {
  const paymentIn = async (demo: string) => (await createPlayer(demo).open()).payment!;
  it('adds up after a part', async () => {
    const { due, paid, remaining, strings } = await paymentIn('underpaid#last');
    expect(parseAmount(paid) + parseAmount(remaining!)).toBe(parseAmount(due!));
    expect(strings.amount).toBe(remaining);
  });
  it('is shown for an overpayment, and for a late payment', async () => {
    expect(await paymentIn('overpaid#last')).toMatchObject({
      remaining: '0',
      overpaid: expect.stringMatching(/^0\.0000/) as string,
    });
    expect(await paymentIn('late#last')).toMatchObject({
      paid: '0',
      late: expect.stringMatching(/^0\.0003/) as string,
    });
    expect(await paymentIn('late-accepted#last')).toMatchObject({ remaining: '0' });
  });
  it('names the bare address for an exchange, and never an XRP address that loses its tag', async () => {
    expect((await paymentIn('exchange#1')).strings.qr).toBe(TARGETS.bitcoin.address);
    expect((await paymentIn('xrp-exchange')).strings.qr).toBe(TARGETS.xrp.xAddress);
  });
  it('can be paid with another kind', async () => {
    expect(await paymentIn('underpaid:XRP#2')).toMatchObject({ kind: 'XRP', tag: TARGETS.xrp.tag });
  });
});

describe('time', () => {
  it('passes by itself, step by step', async () => {
    const [player, on] = [createPlayer('complete'), follower()];
    expect((await player.open()).stage).toBe('pay');
    player.follow(on);
    vi.advanceTimersByTime(60_000);
    expect(on.checkout.mock.calls.map(([{ stage }]) => stage)).toEqual([
      'seen',
      'seen',
      'paid',
      'complete',
    ]);
    player.stop();
  });
  it('stands still at a step, until a call continues it', async () => {
    const [player, on] = [createPlayer('complete#2'), follower()];
    expect((await player.open()).stage).toBe('seen');
    player.follow(on);
    vi.advanceTimersByTime(60_000);
    expect(on.checkout).not.toHaveBeenCalled();
    page.dispatchEvent(new CustomEvent(STEP_EVENT));
    page.dispatchEvent(new CustomEvent(STEP_EVENT, { detail: 5 }));
    expect(on.checkout.mock.calls.map(([{ stage, version }]) => [stage, version])).toEqual([
      ['seen', 2],
      ['complete', 3],
    ]);
    player.stop();
    page.dispatchEvent(new CustomEvent(STEP_EVENT));
    expect(on.checkout).toHaveBeenCalledTimes(2);
  });
  it('waits for the buyer where the buyer has to choose, and never runs backwards', async () => {
    const [player, on] = [createPlayer('buy'), follower()];
    await player.open();
    player.follow(on);
    vi.advanceTimersByTime(90_000);
    expect(on.checkout).not.toHaveBeenCalled();
    const { payment, server_time } = await player.post('payment', { kind: 'XRP' });
    expect(payment?.kind).toBe('XRP');
    expect(Date.parse(server_time)).toBeGreaterThanOrEqual(Date.parse('2026-11-21T12:01:30Z'));
    expect(Date.parse(payment!.expires_at!) - Date.parse(server_time)).toBe(900_000);
    vi.advanceTimersByTime(30_000);
    expect(on.checkout.mock.calls.at(-1)?.[0].stage).toBe('complete');
    player.stop();
  });
});

describe('answers', () => {
  it('a choice while it stands still leads to the payment', async () => {
    const player = createPlayer('choose#1');
    await player.open();
    const view = await player.post('payment', { kind: 'SOL', from: 'exchange' });
    expect(view).toMatchObject({ stage: 'pay', payment: { kind: 'SOL', from: 'exchange' } });
    player.stop();
  });
  it('more time is given once; an expired price is renewed', async () => {
    const player = createPlayer('ending#1');
    const before = (await player.open()).payment!;
    expect(before.extendable).toBe(true);
    const after = (await player.post('renew', { extend: true })).payment!;
    expect(Date.parse(after.expires_at!) - Date.parse(before.expires_at!)).toBe(900_000);
    expect(after.extendable).toBe(false);
    const expired = createPlayer('expired#last');
    expect((await expired.open()).payment?.renewable).toBe(true);
    expect(await expired.post('renew', {})).toMatchObject({
      stage: 'pay',
      payment: { renewable: false },
    });
  });
  it('an error passes where the server only was busy', async () => {
    const player = createPlayer('error-unavailable');
    await expect(player.open()).rejects.toMatchObject({ code: 'unavailable', passing: true });
    await expect(player.open()).rejects.toThrow();
    expect((await player.open()).stage).toBe('pay');
    player.stop();
  });
  it('a slow server answers in the end; a lost connection is shown, and comes back', async () => {
    const slow = createPlayer('slow');
    const opened = slow.open();
    slow.follow(follower());
    vi.advanceTimersByTime(6000);
    expect((await opened).stage).toBe('pay');
    slow.stop();
    const [offline, on] = [createPlayer('offline'), follower()];
    await offline.open();
    offline.follow(on);
    vi.advanceTimersByTime(20_000);
    expect(on.connection.mock.calls).toEqual([[true], [false]]);
    expect(on.checkout.mock.calls.at(-1)?.[0].stage).toBe('seen');
    offline.stop();
  });
});

it('a name that is not in the list is refused, with the names that are', async () => {
  const names = { code: 'setup', message: expect.stringContaining('underpaid-late') };
  await expect(createPlayer('underpayed').open()).rejects.toMatchObject(names);
  expect(parseScenario('pay:NO_SUCH_KIND')).toBeNull();
});

it('each coin that is no stablecoin has a price for demonstrations', () => {
  const missing = KINDS.filter(({ stablecoin, symbol }) => !stablecoin && !(symbol in DOLLARS));
  expect(
    missing.map(({ symbol }) => symbol),
    'DOLLARS in packages/elements/src/scenario/price.ts lacks these symbols',
  ).toEqual([]);
});

it('the link of each chain with a URI scheme opens a wallet', () => {
  const refused = Object.values(CHAINS).filter(
    ({ scheme }) => scheme !== undefined && !walletLink(`${scheme}:address?amount=1`),
  );
  expect(
    refused.map(({ scheme }) => scheme),
    'WALLET in packages/elements/src/server/safe-link.ts lacks these schemes',
  ).toEqual([]);
});

it('all addresses are of test networks and of the published test mnemonic', async () => {
  const keys = publicKeysOf(
    mnemonicToSeedSync(
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    ),
    { network: 'testnet' },
  );
  const lightning = {
    now: Date.parse('2026-11-21T12:00:00Z'),
    description: 'Harbour mug',
    expirySeconds: 900,
    lnurl: 'https://pay.example/lnurl/3f6f1a52',
  };
  const derive = async (chain: ChainId, kind: string) => {
    const options = { index: 7, kind, amount: parseAmount('0.00030117'), ...lightning };
    const {
      address,
      tag,
      xAddress,
      publicAddress,
      lightning: request,
    } = await deriveTarget(keys, chain, options);
    return {
      address,
      tag: tag ?? undefined,
      xAddress: xAddress ?? undefined,
      publicAddress: publicAddress ?? undefined,
      request,
    };
  };
  for (const chain of Object.keys(CHAINS) as ChainId[]) {
    const { request, ...target } = await derive(chain, 'BTC_LIGHTNING');
    const { lightning: ours, ...rest } = TARGETS[chain];
    expect(rest, `TARGETS.${chain} in packages/elements/src/scenario/target.ts`).toEqual(
      JSON.parse(JSON.stringify(target)),
    );
    expect(ours?.payment_request).toBe(request?.paymentRequest);
  }
  expect((await derive('lightning', 'BTC_LIGHTNING_LNURL')).request?.lnurl).toBe(
    LNURL.lightning?.lnurl,
  );
});
