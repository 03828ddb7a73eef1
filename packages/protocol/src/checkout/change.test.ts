import { describe, expect, it } from 'vitest';
import { applyChange, changeOf } from './change.ts';
import type { Checkout, CheckoutPayment } from './checkout.ts';
import { encodeQr } from './qr.ts';

const payment = (overrides: Partial<CheckoutPayment>): CheckoutPayment =>
  ({
    invoice_id: 'i1',
    kind: 'BTC',
    address: 'bc1q',
    paid: '0',
    transactions: [],
    ...overrides,
  }) as unknown as CheckoutPayment;
const view = (overrides: Partial<Checkout>): Checkout =>
  ({
    id: 'c1',
    stage: 'choose',
    version: 1,
    notes: [],
    coins: [{ kind: 'BTC' }],
    received: [],
    payment: null,
    ...overrides,
  }) as unknown as Checkout;

const VIEWS = [
  view({}),
  view({ version: 2, stage: 'pay', payment: payment({}) }),
  view({ version: 3, stage: 'seen', payment: payment({ paid: '1' }) }),
  view({ version: 4, stage: 'pay', payment: payment({ invoice_id: 'i2', kind: 'LTC' }) }),
  view({ version: 5, notes: ['test_network'], coins: [] }),
];

describe('a change of a view', () => {
  it.each(VIEWS.flatMap((before) => VIEWS.map((next) => [before, next] as const)))(
    'leads from %o to %o',
    (before, next) => {
      const change = JSON.parse(JSON.stringify(changeOf(before, next))) as object;
      expect(applyChange(before, change)).toEqual(next);
    },
  );

  it('repeats neither coins nor the address of the same invoice', () => {
    const change = changeOf(VIEWS[1]!, VIEWS[2]!);
    expect(change).toEqual({ version: 3, stage: 'seen', payment: { paid: '1' } });
  });

  it('brings the payment of another invoice whole', () => {
    expect(changeOf(VIEWS[1]!, VIEWS[3]!)?.payment).toEqual(VIEWS[3]!.payment);
  });

  it.each([
    [
      'bitcoin:tb1qf8d252r4ssenrpquwj237qgspfkgg74twk8at9?amount=0.1',
      'bitcoin:TB1QF8D252R4SSENRPQUWJ237QGSPFKGG74TWK8AT9?amount=0.1',
      undefined,
    ],
    [
      'ethereum:0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B',
      'ethereum:0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B',
      'same',
    ],
    ['', 'bare', 'same'],
  ])('leaves out the text of a code where the link %s has it', (link, qr, kept) => {
    const strings = { qr, link, address: 'a', amount: null, tag: null };
    const next = view({ version: 2, payment: payment({ strings }) });
    for (const before of [VIEWS[0]!, VIEWS[1]!]) {
      const short = changeOf(before, next, true)!;
      expect(short.payment!.strings!.qr).toBe(kept && qr);
      // Earlier clients get the text, and merge a change without asking for less.
      const whole = changeOf(before, next)!;
      expect(whole.payment!.strings).toEqual(strings);
      for (const change of [short, whole])
        expect(applyChange(before, JSON.parse(JSON.stringify(change)) as object)).toEqual({
          ...before,
          ...next,
        });
    }
  });

  it('brings a code as its modules, and the path is the same', () => {
    const qr = encodeQr('bitcoin:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ?amount=0.001');
    for (const next of [payment({ qr }), payment({ invoice_id: 'i2', qr })]) {
      const change = changeOf(VIEWS[1]!, view({ ...VIEWS[1], payment: next }))!;
      expect(change.payment!.qr).toEqual({ size: qr.size, bits: expect.any(String) });
      expect(applyChange(VIEWS[1]!, change).payment).toEqual(next);
    }
  });

  it('is none if a member has disappeared', () => {
    const { notes: _, ...less } = VIEWS[1]!;
    expect(changeOf(VIEWS[0]!, less as Checkout)).toBeNull();
    const { paid: __, ...part } = VIEWS[1]!.payment!;
    const next = { ...VIEWS[1]!, payment: part as CheckoutPayment };
    expect(applyChange(VIEWS[1]!, changeOf(VIEWS[1]!, next)!)).toEqual(next);
  });
});
