import { expect, it } from 'vitest';
import { advanceCursor, startCursor } from '../cursor.ts';
import { ripen } from './immature.ts';

const blockAt = (height: number): { height: number; hash: string } => ({
  height,
  hash: `block ${height}`,
});

it('keeps a payment that cannot be spent yet when later blocks are read again', () => {
  const observation = {
    key: 'tx:0',
    txid: 'tx',
    asset: 'BTC',
    watchKey: 'bitcoin:address',
    amount: 1n,
    block: { ...blockAt(10), time: 0 },
    conflicts: [],
  };
  const read = advanceCursor(startCursor(blockAt(9), 'source'), [blockAt(10)]);
  const { cursor } = ripen(read, [{ observation, maturity: 6 }]);
  const rewound = { ...startCursor(blockAt(12), ''), extra: { ...cursor.extra } };
  const next = advanceCursor(rewound, [13, 14, 15].map(blockAt));
  expect(ripen(next, []).ripe).toEqual([observation]);
});
