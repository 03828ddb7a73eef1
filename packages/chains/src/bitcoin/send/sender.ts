import { fromUnits, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS } from '@crypto-checkout/protocol/kind';
import { AddressError } from '../../parsed-address.ts';
import type { ChainSender, FeeEstimate, Planned, PlanRequest, SendRequest } from '../../sender.ts';
import { scriptOf } from '../address.ts';
import { coinOf } from '../adapter.ts';
import { DECIMALS } from '../units.ts';
import { broadcastBitcoin, testBitcoin } from './broadcast.ts';
import { type SpendableCoin, spendableCoins } from './coins.ts';
import { consolidateBitcoin } from './consolidate.ts';
import { feeOf, feeRate } from './fees.ts';
import { lookUpBitcoin } from './look-up.ts';
import { changeAddress, formatsOf, fundingAddress } from './own-key.ts';
import { replaceBitcoin } from './replace.ts';
import { select, type Selection, type SelectOptions } from './select.ts';
import { inputSize, transactionSize } from './size.ts';
import { type BitcoinWallet, dustOf, freeCoins, planInputs } from './wallet.ts';

const MAX_OUTPUTS = 100;

/** Creates the sender of a UTXO chain. Its transactions are independent, so many go out at once. */
export function createBitcoinSender(options: BitcoinWallet): ChainSender {
  const { chain } = options.network;
  return {
    chain,
    kinds: KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind),
    maxOutputs: MAX_OUTPUTS,
    sharesTransactions: options.sharesTransactions ?? true,
    lane: null,
    fundingAddress: fundingAddress(options.keys, options.network),
    estimate: (request) => estimate(options, request),
    async usualFee() {
      const rate = await feeRate(options.node, chain, 'normal');
      return fromUnits(feeOf(rate, usualSize(options)), DECIMALS);
    },
    plan: (request) => plan(options, request),
    test: (raw) => testBitcoin(options.node, raw),
    broadcast: (raw) => broadcastBitcoin(options.node, raw),
    lookUp: (sent) => lookUpBitcoin(options, sent),
    consolidate: (request) => consolidateBitcoin(options, request),
    replace: (request) => replaceBitcoin(options, request),
  };
}

/** One input, a recipient and change. */
function usualSize({ network, keys }: BitcoinWallet): number {
  const format = formatsOf(network)[0]!;
  const script = scriptOf(network.versions, changeAddress(keys, network, 0));
  return transactionSize([format], [script, script]);
}

/** Inputs that a later plan may need beyond the estimated ones. */
const SPARE_INPUTS = 2;

/** The expected fee, and half more where the rate can rise until it is sent. */
async function estimate(options: BitcoinWallet, request: SendRequest): Promise<FeeEstimate> {
  const { network, node } = options;
  const rate = request.feeRate ?? (await feeRate(node, network.chain, request.preset));
  const wanted = await wantedOf(options, request, rate, 0);
  const found = await choose(options, wanted, []);
  const format = formatsOf(network)[0]!;
  const fee =
    found?.fee ?? feeOf(rate, transactionSize([format], [...wanted.scripts, wanted.changeScript]));
  const rise = request.feeRate === null ? 1.5 : 1;
  const spare = feeOf(rate * rise, SPARE_INPUTS * inputSize(format));
  const reserve = BigInt(Math.ceil(Number(fee) * rise)) + spare + wanted.dust;
  return { fee: fromUnits(fee, DECIMALS), reserve: fromUnits(reserve, DECIMALS), feeRate: rate };
}

/** @throws AddressError for an address of another network */
async function wantedOf(
  { network, keys }: BitcoinWallet,
  { asset, outputs }: SendRequest,
  rate: number,
  change: number,
): Promise<SelectOptions> {
  if (asset !== coinOf(network.chain))
    throw new Error(`${CHAINS[network.chain].name} has no ${asset}`);
  return {
    rate,
    total: outputs.reduce((sum, { amount }) => sum + toUnits(amount, DECIMALS), 0n),
    scripts: outputs.map(({ address }) => scriptOf(network.versions, address)),
    changeScript: scriptOf(network.versions, changeAddress(keys, network, change)),
    dust: dustOf(network),
  };
}

async function choose(
  options: BitcoinWallet,
  wanted: SelectOptions,
  taken: readonly string[],
): Promise<Selection | null> {
  const free = await freeCoins(options, taken);
  const isEnough = (found: readonly SpendableCoin[]): boolean => select(found, wanted) !== null;
  return select(await spendableCoins(options, free, isEnough), wanted);
}

async function plan(options: BitcoinWallet, request: PlanRequest): Promise<Planned> {
  const { network, node, keys, nextChange } = options;
  const [rate, index, height] = await Promise.all([
    request.feeRate ?? feeRate(node, network.chain, request.preset),
    nextChange(),
    node.height(),
  ]);
  const wanted = await wantedOf(options, request, rate, index).catch(asAddressError);
  if (wanted instanceof AddressError) return { type: 'refused', reason: wanted.message };
  const found = await choose(options, wanted, request.taken ?? []);
  if (found === null) return { type: 'wait', reason: await lackOf(options, request, wanted) };
  if (fromUnits(found.fee, DECIMALS) > request.feeReserve)
    return { type: 'wait', reason: 'the network fee rose above what is held for it', cause: 'fee' };
  const inputs = found.coins.map(({ outpoint }) => outpoint);
  const address = changeAddress(keys, network, index);
  return {
    type: 'plan',
    nonce: null,
    inputs,
    plan: {
      family: 'bitcoin',
      chain: network.chain,
      network: network.name,
      inputs: await planInputs(options, found.coins),
      outputs: request.outputs.map((output) => ({
        address: output.address,
        units: toUnits(output.amount, DECIMALS).toString(),
      })),
      change: found.change === 0n ? null : { index, address, units: found.change.toString() },
      height,
    },
  };
}

/** Why the coins are not enough. The text has no amounts: one alarm is enough. */
async function lackOf(
  options: BitcoinWallet,
  { taken = [], asset }: PlanRequest,
  { total }: SelectOptions,
): Promise<string> {
  const held = (await freeCoins(options, taken)).reduce((sum, { units }) => sum + units, 0n);
  // The change of transactions on their way follows.
  return held < total && taken.length === 0
    ? `the keys of this service hold too few coins for it; send ${asset} to ${fundingAddress(options.keys, options.network)}, and assign it to the wallet when it is listed as unassigned`
    : 'the coins that can be spent now are not enough; more follow with the next block';
}

function asAddressError(error: unknown): AddressError {
  if (error instanceof AddressError) return error;
  throw error;
}
