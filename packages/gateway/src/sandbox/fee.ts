import { fromUnits, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, KINDS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import type { FeeEstimate, FeePreset, SendRequest } from '@crypto-checkout/chains/sender';

/** Network fee on the simulated chains: plausible and constant. */
export function sandboxFee(
  chain: ChainId,
  { asset, outputs, preset, feeRate }: SendRequest,
): FeeEstimate {
  const { family } = CHAINS[chain];
  if (family !== 'utxo' && family !== 'liquid')
    return fixedFee(transferFee(chain, family, { asset, outputs, preset }));
  const rate = feeRate ?? CHAIN_DETAILS[chain].sandboxFeeRates?.[preset] ?? 1;
  return {
    ...fixedFee(fromUnits(BigInt(rate * (OVERHEAD_BYTES + OUTPUT_BYTES * outputs.length)), 8)),
    feeRate: rate,
  };
}

const fixedFee = (fee: Amount): FeeEstimate => ({ fee, reserve: fee });

type TransferFamily = Exclude<ChainFamily, 'utxo' | 'liquid'>;

function transferFee(
  chain: ChainId,
  family: TransferFamily,
  { asset, outputs, preset }: Pick<SendRequest, 'asset' | 'outputs' | 'preset'>,
): Amount {
  if (family === 'lightning')
    return lightningFee(outputs.reduce((sum, { amount }) => sum + amount, 0n));
  const [coin, token] = TRANSFER[family];
  const unit = parseAmount(isCoin(chain, asset) ? coin : token);
  const fee = (unit * BigInt(outputs.length) * FACTOR[preset]) / 10n;
  return ROLLUPS.has(chain) ? fee / 100n : fee;
}

/** Chains that settle on Ethereum: their fees are about a hundredth of Ethereum's. */
const ROLLUPS: ReadonlySet<ChainId> = new Set(['arbitrum', 'base']);

/** BIP141 virtual bytes of a transaction with two segwit inputs and change. */
const OVERHEAD_BYTES = 11 + 2 * 68 + 31;
const OUTPUT_BYTES = 31;

/** One satoshi plus a tenth of a percent. */
function lightningFee(amount: Amount): Amount {
  const satoshi = fromUnits(1n, 8);
  return satoshi + (amount / 1000n / satoshi) * satoshi;
}

/** Fee of a transfer: native coin, token. */
const TRANSFER: Readonly<Record<Exclude<TransferFamily, 'lightning'>, readonly [string, string]>> =
  {
    evm: ['0.00021', '0.00065'],
    tron: ['1.1', '13.5'],
    solana: ['0.000005', '0.000005'],
    ton: ['0.006', '0.05'],
    xrp: ['0.00001', '0.00001'],
  };
const FACTOR: Readonly<Record<FeePreset, bigint>> = { high: 20n, normal: 10n, economy: 10n };

const isCoin = (chain: ChainId, asset: string): boolean =>
  KINDS.find((kind) => kind.chain === chain)?.asset === asset;

/** A usual payment over lightning, in bitcoin. */
const USUAL_LIGHTNING_AMOUNT = parseAmount('0.0002');

/** Network fee of a usual payment by any wallet: one output at the normal speed. */
export function sandboxUsualFee(chain: ChainId, asset: string): Amount {
  const output = { address: '', tag: null, memo: null, paymentRequest: null };
  const amount = chain === 'lightning' ? USUAL_LIGHTNING_AMOUNT : 0n;
  const outputs = [{ ...output, amount }];
  return sandboxFee(chain, { asset, outputs, preset: 'normal', feeRate: null }).fee;
}
