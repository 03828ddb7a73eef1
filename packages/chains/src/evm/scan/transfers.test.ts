import { describe, expect, it } from 'vitest';
import type { EvmBlock, EvmTrace, EvmTransaction } from '../node.ts';
import { isFullyTraced } from './transfers.ts';

const SENDER = `0x${'11'.repeat(20)}`;
const hashOf = (number: number): string => `0x${String(number).padStart(64, '0')}`;

const transaction = (number: number, more: Partial<EvmTransaction> = {}): EvmTransaction => ({
  hash: hashOf(number),
  from: SENDER,
  to: SENDER,
  value: 0n,
  nonce: number,
  input: '0x',
  type: 2,
  ...more,
});
const block = (...transactions: EvmTransaction[]): EvmBlock => ({
  number: 1,
  hash: hashOf(100),
  parentHash: hashOf(99),
  timestamp: 1,
  logsBloom: null,
  transactions,
});
const result = { type: 'CALL', from: SENDER };
const trace = (number: number): EvmTrace => ({ txHash: hashOf(number), result });

describe('isFullyTraced', () => {
  const two = block(transaction(1), transaction(2));

  it.each<[string, EvmBlock, EvmTrace[] | null, boolean]>([
    ['each transaction has its trace', two, [trace(2), trace(1)], true],
    ['an old node names no transactions', two, [{ result }, { result }], true],
    ['a block without transactions needs none', block(), null, true],
    ['there are none at all', two, null, false],
    ['the list is empty', two, [], false],
    ['one is missing', two, [trace(1)], false],
    ['the tracer gave up on one', two, [trace(1), { txHash: hashOf(2) }], false],
    ['they are of another block', two, [trace(3), trace(4)], false],
    [
      'a deposit of the OP stack has none',
      block(transaction(1), transaction(2, { type: 0x7e })),
      [trace(1)],
      true,
    ],
    [
      "a transaction of Polygon's bridge has none",
      block(transaction(1), transaction(2, { type: 0, from: `0x${'0'.repeat(40)}` })),
      [trace(1)],
      true,
    ],
  ])('%s', (_, whole, traces, expected) => {
    expect(isFullyTraced(whole, traces)).toBe(expected);
  });
});
