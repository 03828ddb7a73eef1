import { fromUnits, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import type { FeeEstimate, FeePreset, SendRequest } from '../sender.ts';

/** What sending costs on the simulated chains: plausible, and the same every day. */
export function sandboxFee(chain: ChainId, { asset, outputs, preset, feeRate }: SendRequest): FeeEstimate {
  const { family } = CHAINS[chain];
  if (family !== 'utxo' && family !== 'liquid') return exactly(transferFee(chain, family, { asset, outputs, preset }));
  const rate = feeRate ?? RATES[chain]?.[preset] ?? 1;
  return { ...exactly(fromUnits(BigInt(rate * (OVERHEAD_BYTES + OUTPUT_BYTES * outputs.length)), 8)), feeRate: rate };
}

const exactly = (fee: Amount): FeeEstimate => ({ fee, reserve: fee });

type Transferring = Exclude<ChainFamily, 'utxo' | 'liquid'>;

function transferFee(
  chain: ChainId,
  family: Transferring,
  { asset, outputs, preset }: Pick<SendRequest, 'asset' | 'outputs' | 'preset'>,
): Amount {
  if (family === 'lightning') return lightningFee(outputs.reduce((sum, { amount }) => sum + amount, 0n));
  const [coin, token] = TRANSFER[family];
  const one = parseAmount(isCoin(chain, asset) ? coin : token);
  return (one * BigInt(outputs.length) * FACTOR[preset]) / 10n;
}

/** Satoshi per byte. */
const RATES: Partial<Record<ChainId, Record<FeePreset, number>>> = {
  bitcoin: { high: 20, normal: 10, economy: 4 },
  litecoin: { high: 20, normal: 10, economy: 4 },
  dogecoin: { high: 2_000, normal: 1_000, economy: 1_000 },
  liquid: { high: 1, normal: 1, economy: 1 },
};
/** BIP141 virtual bytes of a transaction with two segwit inputs and change. */
const OVERHEAD_BYTES = 11 + 2 * 68 + 31;
const OUTPUT_BYTES = 31;

/** One satoshi and a tenth of a percent. */
function lightningFee(amount: Amount): Amount {
  const satoshi = fromUnits(1n, 8);
  return satoshi + (amount / 1000n / satoshi) * satoshi;
}

/** A transfer of the chain's own coin, and of a token. */
const TRANSFER: Readonly<Record<Exclude<Transferring, 'lightning'>, readonly [string, string]>> = {
  evm: ['0.00021', '0.00065'],
  tron: ['1.1', '13.5'],
  solana: ['0.000005', '0.000005'],
  ton: ['0.006', '0.05'],
  xrp: ['0.00001', '0.00001'],
};
const FACTOR: Readonly<Record<FeePreset, bigint>> = { high: 20n, normal: 10n, economy: 10n };

const isCoin = (chain: ChainId, asset: string): boolean => KINDS.find((kind) => kind.chain === chain)?.asset === asset;
