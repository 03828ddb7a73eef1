import { fromUnits } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { FeeCeilingError, UnavailableError } from '../../error.ts';
import type {
  BitcoinPlan,
  BitcoinPlanInput,
  Replacement,
  ReplaceRequest,
  SendPlan,
} from '../../sender.ts';
import { scriptOf } from '../address.ts';
import { DECIMALS } from '../units.ts';
import { type SpendableCoin, spendableCoins } from './coins.ts';
import { feeOf, feeRate } from './fees.ts';
import { feeOfPlan } from './look-up.ts';
import { changeAddress, formatOf } from './own-key.ts';
import { balance, type Selection, type SelectOptions } from './select.ts';
import { type BitcoinWallet, dustOf, freeCoins, planInputs } from './wallet.ts';
import { transactionSize } from './size.ts';

/**
 * A transaction with every input of the newest plan and a higher fee (BIP 125): at least the fee of
 * what it replaces and the node's step for its own size. More coins are added if the change does
 * not suffice.
 * @throws FeeCeilingError if that is above the highest rate of the chain
 */
export async function replaceBitcoin(
  options: BitcoinWallet,
  { plans, intent, preset = 'high', taken = [] }: ReplaceRequest,
): Promise<Replacement> {
  const { node, network, nextChange } = options;
  const newest = requirePlan(options, plans.at(-1));
  const [suggested, economy, { step }, next] = await Promise.all([
    feeRate(node, network.chain, preset),
    feeRate(node, network.chain, 'economy'),
    node.relayRates(),
    nextChange(),
  ]);
  const index = newest.change?.index ?? next;
  const own = newest.inputs.map((input) => ownCoin(options, input));
  const outputs = intent === 'cancel' ? [] : newest.outputs;
  const paid = rateOf(options, newest, own);
  // A payout can always be cancelled, once.
  if (intent === 'bump' || newest.outputs.length === 0) requireBelowCeiling(options, paid, step);
  const rate = Math.max(suggested, paid + step);
  const wanted: SelectOptions = {
    rate: Math.min(rate, CHAIN_DETAILS[network.chain].maxFeeRate ?? rate),
    total: outputs.reduce((sum, { units }) => sum + BigInt(units), 0n),
    scripts: outputs.map(({ address }) => scriptOf(network.versions, address)),
    changeScript: scriptOf(network.versions, changeAddress(options.keys, network, index)),
    dust: dustOf(network),
  };
  const least = feeOfPlan(newest);
  const found = raised(await withMore(options, own, wanted, taken), wanted, { least, step });
  const address = changeAddress(options.keys, network, index);
  const change = found.change === 0n ? null : { index, address, units: found.change.toString() };
  const fee = fromUnits(found.fee, DECIMALS);
  return {
    plan: { ...newest, inputs: await planInputs(options, found.coins), outputs, change },
    inputs: found.coins.map(({ outpoint }) => outpoint),
    fee,
    reserve: fee,
    feeRate: wanted.rate,
    isOutbid: paid < economy,
  };
}

function requirePlan({ network }: BitcoinWallet, plan: SendPlan | undefined): BitcoinPlan {
  if (plan?.family !== 'bitcoin' || plan.chain !== network.chain || plan.network !== network.name)
    throw new Error(`No plan of ${network.chain} to replace`);
  return plan;
}

function ownCoin(
  { keys, network }: BitcoinWallet,
  { outpoint, units, address, branch, index, previous }: BitcoinPlanInput,
): SpendableCoin {
  const key = { branch, index };
  const format = formatOf(keys, network, key, address);
  if (format === null) throw new Error(`No key of this wallet derives the address ${address}`);
  return { ...key, outpoint, units: BigInt(units), address, isOwnChange: false, format, previous };
}

function rateOf(
  { network: { versions } }: BitcoinWallet,
  plan: BitcoinPlan,
  coins: readonly SpendableCoin[],
): number {
  const outputs = plan.change === null ? plan.outputs : [...plan.outputs, plan.change];
  const size = transactionSize(
    coins.map(({ format }) => format),
    outputs.map(({ address }) => scriptOf(versions, address)),
  );
  return Number(feeOfPlan(plan)) / size;
}

function requireBelowCeiling({ network: { chain } }: BitcoinWallet, paid: number, step: number) {
  const ceiling = CHAIN_DETAILS[chain].maxFeeRate;
  if (ceiling === null || paid + step <= ceiling) return;
  throw new FeeCeilingError(
    `A replacement must pay at least ${shownRate(paid + step)} sat/vB, and the highest fee rate of ${CHAINS[chain].name} is ${ceiling} sat/vB.`,
  );
}

/** Rounded up: a rate above the ceiling is never shown as the ceiling. */
const shownRate = (rate: number): number => Math.ceil(rate * 10) / 10;

/** Rule of BIP 125: a replacement brings no unconfirmed input that is new. */
async function withMore(
  options: BitcoinWallet,
  own: readonly SpendableCoin[],
  wanted: SelectOptions,
  taken: readonly string[],
): Promise<Selection> {
  const enough = withOutput(own, wanted);
  if (enough !== null) return enough;
  const free = (await freeCoins(options, taken)).filter(
    ({ outpoint, isOwnChange }) => !isOwnChange && own.every((coin) => coin.outpoint !== outpoint),
  );
  const isEnough = (more: readonly SpendableCoin[]): boolean =>
    withOutput([...own, ...more], wanted) !== null;
  const more = await spendableCoins(options, free, isEnough);
  for (let count = 1; count <= more.length; count += 1) {
    const found = withOutput([...own, ...more.slice(0, count)], wanted);
    if (found !== null) return found;
  }
  throw new UnavailableError('The coins that can be spent now are not enough for a higher fee');
}

/** Null also when nothing is left for an output: a cancelling transaction has its change only. */
function withOutput(coins: readonly SpendableCoin[], wanted: SelectOptions): Selection | null {
  const found = balance(coins, wanted);
  return found?.change === 0n && wanted.scripts.length === 0 ? null : found;
}

/** Raises the fee to the absolute minimum of a replacement, from the change. */
function raised(
  found: Selection,
  { scripts, changeScript, dust }: SelectOptions,
  { least, step }: { least: bigint; step: number },
): Selection {
  const formats = found.coins.map(({ format }) => format);
  const minimum = least + feeOf(step, transactionSize(formats, [...scripts, changeScript]));
  if (found.fee >= minimum) return found;
  const rest = found.fee + found.change;
  if (rest - minimum >= dust) return { ...found, fee: minimum, change: rest - minimum };
  if (rest < minimum || scripts.length === 0)
    throw new UnavailableError('The coins of the transaction are not enough for a higher fee');
  return { ...found, fee: rest, change: 0n };
}
