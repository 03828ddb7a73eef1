import { KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import { wrongKind } from './wrong-kind.ts';

it('the wrong coin of the test wallet is another asset on the same chain', () => {
  const same: string[] = [];
  for (const kind of KINDS) {
    const wrong = kindOf(wrongKind(kind.kind))!;
    expect([kind.kind, wrong.chain]).toEqual([kind.kind, kind.chain]);
    if (wrong.asset === kind.asset) same.push(kind.kind);
  }
  const alone = KINDS.filter(
    ({ chain }) =>
      new Set(KINDS.filter((one) => one.chain === chain).map(({ asset }) => asset)).size === 1,
  );
  expect(same).toEqual(alone.map(({ kind }) => kind));
});
