import { parseAmount } from '../amount/amount.ts';
import { CHAIN_DETAILS } from '../chains/registry.ts';

const MINIMUM_WITHDRAWALS: ReadonlyMap<string, string | undefined> = new Map(
  Object.values(CHAIN_DETAILS).flatMap(({ minimumWithdrawals }) =>
    Object.entries(minimumWithdrawals),
  ),
);

/**
 * The usual minimum withdrawal of exchanges, if the amount is below it; otherwise null.
 * @param amount decimal string in the coin
 * @example minimumWithdrawal('BTC', '0.0001') // '0.0002'
 */
export function minimumWithdrawal(kind: string, amount: string): string | null {
  const minimum = MINIMUM_WITHDRAWALS.get(kind);
  return minimum !== undefined &&
    parseAmount(amount) > 0n &&
    parseAmount(amount) < parseAmount(minimum)
    ? minimum
    : null;
}
