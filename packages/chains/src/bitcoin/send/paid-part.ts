import { hex } from '@scure/base';
import type { BitcoinPlan } from '../../sender.ts';
import { scriptOf } from '../address.ts';
import { bitcoinNetwork } from '../network.ts';
import type { BitcoinTransaction } from '../transaction.ts';

/**
 * The part of a plan's recipients that another transaction pays: the owner of the keys can send a
 * payout again from another wallet, and without segwit a relaying node can change its id.
 */
export function paidPart(
  { chain, network, outputs, change }: BitcoinPlan,
  transaction: BitcoinTransaction,
): 'all' | 'some' | 'none' {
  const { versions } = bitcoinNetwork(chain, network);
  // A plan that joins coins pays this wallet alone.
  const paid = outputs.length === 0 && change !== null ? [change] : outputs;
  const wanted = paid.map(({ address, units }) => ({
    script: hex.encode(scriptOf(versions, address)),
    units: BigInt(units),
  }));
  const left = [...transaction.outputs];
  const isPaid = ({ script, units }: (typeof wanted)[number]): boolean => {
    const at = left.findIndex((output) => output.script === script && output.units === units);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  if (wanted.length > 0 && wanted.every(isPaid)) return 'all';
  const scripts = new Set(transaction.outputs.map(({ script }) => script));
  return wanted.some(({ script }) => scripts.has(script)) ? 'some' : 'none';
}
