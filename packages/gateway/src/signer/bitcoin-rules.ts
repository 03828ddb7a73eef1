import { KINDS } from '@crypto-checkout/protocol/kind';
import { hex } from '@scure/base';
import { scriptOf } from '@crypto-checkout/chains/bitcoin/address';
import {
  bitcoinNetwork,
  networkNames,
  type BitcoinNetwork,
} from '@crypto-checkout/chains/bitcoin/network';
import { parseRawTransaction } from '@crypto-checkout/chains/bitcoin/raw';
import { changeAddress, formatOf } from '@crypto-checkout/chains/bitcoin/send/own-key';
import { DECIMALS } from '@crypto-checkout/chains/bitcoin/units';
import type { BitcoinPlan, BitcoinPlanInput } from '@crypto-checkout/chains/sender';
import type { Policy } from './policy.ts';
import { refused, type BitcoinRequest, type SignerState, type Transfer } from './request.ts';
import type { SignedEntry } from './signed-log.ts';

/** @throws SigningRefusedError for a plan of another chain or network */
export function requireBitcoinNetwork({ network }: Policy, { chain, plan }: BitcoinRequest): void {
  if (plan.chain !== chain) throw refused(`a plan of ${plan.chain} is not one of ${chain}`);
  const isNetwork =
    networkNames(chain).includes(plan.network) &&
    bitcoinNetwork(chain, plan.network).account === network;
  if (!isNetwork) throw refused(`${plan.network} of ${chain} is not on the ${network}`);
}

/** The log has no need of the previous transactions, which were checked. */
export const withoutPrevious = (plan: BitcoinPlan): BitcoinPlan => ({
  ...plan,
  inputs: plan.inputs.map(({ outpoint, units, branch, index, address }) => ({
    outpoint,
    units,
    branch,
    index,
    address,
  })),
});

/**
 * The transfer of a plan whose addresses are derived anew.
 * @param earlier entries of the same id
 * @throws SigningRefusedError
 */
export function bitcoinTransfer(
  { chain, plan, purpose, recipientIndex }: BitcoinRequest,
  { keys, log }: SignerState,
  earlier: readonly SignedEntry[],
): Transfer {
  if (purpose === 'top_up' || recipientIndex !== null)
    throw refused(`${chain} has payouts and sweeps to own addresses only, and no ${purpose}`);
  const network = bitcoinNetwork(chain, plan.network);
  const isCancellation = earlier.length > 0 && plan.outputs.length === 0;
  requireConflict(earlier, plan, isCancellation);
  requireOwnInputs(plan, network, keys);
  requireKnownAmounts(log.entries, plan);
  requireOutputs(plan, network, isCancellation || purpose === 'sweep');
  if (purpose === 'sweep' && plan.outputs.length > 0)
    throw refused('a sweep pays no other address than one of these keys');
  const { change } = plan;
  if (change !== null && changeAddress(keys, network, change.index) !== change.address)
    throw refused(`change to ${change.address} is not allowed: it is no address of these keys`);
  const fee = sumOf(plan.inputs) - sumOf(plan.outputs) - BigInt(change?.units ?? 0);
  if (fee < 0n) throw refused('the outputs are more than the inputs');
  return {
    kind: KINDS.find((kind) => kind.chain === chain)!,
    decimals: DECIMALS,
    recipients: plan.outputs.map((output) => ({
      address: output.address,
      memo: null,
      units: BigInt(output.units),
    })),
    fee,
    feeDecimals: DECIMALS,
    isCancellation,
  };
}

const sumOf = (parts: readonly { units: string }[]): bigint =>
  parts.reduce((sum, { units }) => sum + BigInt(units), 0n);

/**
 * A second plan of an id shares an input with each earlier one, so only one of them can be mined.
 */
function requireConflict(
  earlier: readonly SignedEntry[],
  plan: BitcoinPlan,
  isCancellation: boolean,
): void {
  for (const { plan: before, id } of earlier) {
    const isSame =
      before.family === 'bitcoin' &&
      before.chain === plan.chain &&
      before.network === plan.network &&
      (isCancellation || recipientsOf(before) === recipientsOf(plan));
    if (!isSame) throw refused(`${id} was signed before, with another recipient or amount`);
    const spent = new Set(before.inputs.map(({ outpoint }) => outpoint));
    if (!plan.inputs.some(({ outpoint }) => spent.has(outpoint)))
      throw refused(`${id} was signed before, and both transactions could be mined`);
  }
}

const recipientsOf = ({ outputs }: BitcoinPlan): string =>
  JSON.stringify(outputs.map(({ address, units }) => [address, units]));

function requireOwnInputs(
  plan: BitcoinPlan,
  network: BitcoinNetwork,
  keys: SignerState['keys'],
): void {
  if (new Set(plan.inputs.map(({ outpoint }) => outpoint)).size < plan.inputs.length)
    throw refused('an output is spent twice');
  for (const input of plan.inputs) {
    const format = formatOf(keys, network, input, input.address);
    if (format === null)
      throw refused(`no key of this signer derives the address ${input.address}`);
    if (format === 'p2pkh') requirePrevious(input, network);
  }
}

/**
 * Without segwit a signature does not cover the amounts that are spent: a lie about them would
 * become the fee.
 */
function requirePrevious(
  { outpoint, units, address, previous }: BitcoinPlanInput,
  { versions }: BitcoinNetwork,
): void {
  if (previous === undefined)
    throw refused(`the transaction that ${outpoint} comes from is missing`);
  const [txid, index] = outpoint.split(':');
  const found = parsed(previous);
  const output = found?.txid === txid ? found?.outputs[Number(index)] : undefined;
  const script = hex.encode(scriptOf(versions, address));
  if (output?.units !== BigInt(units) || output.script !== script)
    throw refused(`${outpoint} is not the amount and address that the plan says`);
}

function parsed(previous: string): ReturnType<typeof parseRawTransaction> | null {
  try {
    return parseRawTransaction(previous);
  } catch {
    return null;
  }
}

/**
 * BIP 143: signatures cover the amount of their own input alone. Two plans that lie about one input
 * each could be put together to a transaction with a high fee.
 */
function requireKnownAmounts(
  entries: readonly SignedEntry[],
  { chain, inputs }: BitcoinPlan,
): void {
  const known = new Map<string, string>();
  for (const { plan } of entries)
    if (plan.family === 'bitcoin' && plan.chain === chain)
      for (const { outpoint, units } of plan.inputs) known.set(outpoint, units);
  for (const { outpoint, units } of inputs)
    if ((known.get(outpoint) ?? units) !== units)
      throw refused(`${outpoint} was signed before with another amount`);
}

/** @param mayHaveNone a cancellation, and a sweep, pay an address of these keys alone */
function requireOutputs(plan: BitcoinPlan, network: BitcoinNetwork, mayHaveNone: boolean): void {
  const { outputs, change } = plan;
  if (outputs.length === 0 && !mayHaveNone) throw refused('a payout has no recipient');
  if (outputs.length === 0 && change === null) throw refused('a transaction has no output');
  for (const { address, units } of outputs) {
    if (BigInt(units) === 0n) throw refused(`nothing would be paid to ${address}`);
    try {
      scriptOf(network.versions, address);
    } catch {
      throw refused(`${address} is not an address of ${network.chain} on ${network.name}`);
    }
  }
}
