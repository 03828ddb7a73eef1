import { fromUnits } from '@crypto-checkout/protocol/amount';
import type { BitcoinPlan, Consolidation, ConsolidateRequest } from '../../sender.ts';
import { scriptOf } from '../address.ts';
import { DECIMALS } from '../units.ts';
import { type SpendableCoin, spendableCoins } from './coins.ts';
import { feeOf, feeRate } from './fees.ts';
import { changeAddress, formatsOf } from './own-key.ts';
import { inputSize, transactionSize } from './size.ts';
import { type BitcoinWallet, freeCoins, planInputs } from './wallet.ts';

/** The largest coins stay as they are, so that payouts need not wait. */
const KEPT = 10;
/** The bytes of a transaction that pays to 100 recipients. */
const MAX_INPUTS = 100;
/** A coin is worth spending while its input costs at most a tenth of it. */
const WORTH = 10n;
const TOO_FEW = 'few small coins are worth a fee';

/** Plans a transaction that joins small coins of this wallet to one, while fees are low. */
export async function consolidateBitcoin(
  options: BitcoinWallet,
  { minCoins, maxRate, taken = [] }: ConsolidateRequest,
): Promise<Consolidation> {
  const { network, node, keys, nextChange } = options;
  const free = (await freeCoins(options, taken)).filter(({ isOwnChange }) => !isOwnChange);
  const small = free.slice(KEPT);
  if (small.length < minCoins) return { type: 'wait', reason: 'there are few small coins' };
  const [rate, index, height] = await Promise.all([
    feeRate(node, network.chain, 'economy'),
    nextChange(),
    node.height(),
  ]);
  if (rate > maxRate) return { type: 'wait', reason: 'the network fee is too high' };
  const isWorthIt = ({ units, format }: Pick<SpendableCoin, 'units' | 'format'>): boolean =>
    units >= WORTH * feeOf(rate, inputSize(format));
  // Anyone can send dust: the node is not asked about coins that are worth it in no form.
  const candidates = small.filter(({ units }) =>
    formatsOf(network).some((format) => isWorthIt({ units, format })),
  );
  if (candidates.length < minCoins) return { type: 'wait', reason: TOO_FEW };
  const found = await spendableCoins(
    options,
    candidates,
    (coins) => coins.filter(isWorthIt).length >= MAX_INPUTS,
  );
  const coins = found.filter(isWorthIt).slice(0, MAX_INPUTS);
  if (coins.length < minCoins) return { type: 'wait', reason: TOO_FEW };
  const address = changeAddress(keys, network, index);
  const script = scriptOf(network.versions, address);
  const formats = coins.map(({ format }) => format);
  const fee = feeOf(rate, transactionSize(formats, [script]));
  const units = coins.reduce((sum, coin) => sum + coin.units, 0n) - fee;
  const plan: BitcoinPlan = {
    family: 'bitcoin',
    chain: network.chain,
    network: network.name,
    inputs: await planInputs(options, coins),
    outputs: [],
    change: { index, address, units: units.toString() },
    height,
  };
  const inputs = coins.map(({ outpoint }) => outpoint);
  return { type: 'plan', plan, inputs, fee: fromUnits(fee, DECIMALS) };
}
