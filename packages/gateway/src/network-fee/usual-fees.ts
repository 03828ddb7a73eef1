import { parseAmount, multiply, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS, kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import type { RateSet } from '../rate/rate-book.ts';

/** A fee is asked for again after this time. */
const FRESH_MS = 60_000;
/** A fee is shown for at most this time when the node no longer answers. */
const VALID_MS = 30 * 60_000;

interface ChainFees {
  /** Of the chain's own coin and of its tokens; null when it is unknown. */
  coin: Amount | null;
  token: Amount | null;
}

/** The usual network fees of buyers' payments, in US dollars by kind, asked for on demand. */
export class UsualFees {
  readonly #context: Pick<Context, 'senders' | 'chains' | 'clock'>;
  readonly #chains = new Map<ChainId, { fees: ChainFees; at: number }>();
  readonly #asked = new Map<ChainId, { at: number; answer: Promise<void> }>();

  constructor(context: Pick<Context, 'senders' | 'chains' | 'clock'>) {
    this.#context = context;
  }

  /** In US dollars; null for a chain without a known fee, or without an exchange rate. */
  async inDollars(rates: RateSet): Promise<ReadonlyMap<Kind, Amount | null>> {
    const kinds = [...this.#context.chains.values()].flatMap((chain) => chain.kinds);
    const known = KINDS.filter(({ kind }) => kinds.includes(kind));
    await Promise.all([...new Set(known.map(({ chain }) => chain))].map((id) => this.#refresh(id)));
    return new Map(known.map((kind) => [kind, this.#feeOf(kind, rates)]));
  }

  #feeOf(kind: Kind, { usd }: RateSet): Amount | null {
    const held = this.#chains.get(kind.chain);
    if (held === undefined || this.#context.clock.real() - held.at > VALID_MS) return null;
    const fee = kind.token ? held.fees.token : held.fees.coin;
    const rate = usd.get(coinSymbol(kind.chain));
    return fee === null || rate === undefined ? null : multiply(fee, rate, 'up');
  }

  /** Requests that come together share one question, and a node that fails is left alone. */
  async #refresh(chain: ChainId): Promise<void> {
    const now = this.#context.clock.real();
    const last = this.#asked.get(chain);
    if (last && now - last.at < FRESH_MS) return last.answer;
    const answer = this.#ask(chain);
    this.#asked.set(chain, { at: now, answer });
    return answer;
  }

  async #ask(chain: ChainId): Promise<void> {
    const { senders, chains } = this.#context;
    const fees = await feesOf(senders.get(chain), chains.get(chain)).catch(() => null);
    if (fees) this.#chains.set(chain, { fees, at: this.#context.clock.real() });
  }
}

async function feesOf(
  sender: ChainSender | undefined,
  adapter: ChainAdapter | undefined,
): Promise<ChainFees | null> {
  if (adapter?.usualFee !== undefined) return { coin: await adapter.usualFee(), token: null };
  if (sender?.usualFee === undefined) return null;
  const kinds = sender.kinds.map(kindOf).filter((kind) => kind !== undefined);
  const [coin, token] = [kinds.find((kind) => !kind.token), kinds.find((kind) => kind.token)];
  return {
    coin: coin === undefined ? null : await sender.usualFee(coin.asset),
    token: token === undefined ? null : await sender.usualFee(token.asset),
  };
}

/** Lightning has no coin of its own: its first kind is bitcoin. */
function coinSymbol(chain: ChainId): string {
  return KINDS.find((kind) => kind.chain === chain && !kind.token)!.symbol;
}

const SMALLEST = parseAmount('0.0001');

/**
 * Rounds up to two significant digits and at least a hundredth of a cent, so that a view does not
 * change with every block.
 */
export function roundedFee(fee: Amount): Amount {
  if (fee <= SMALLEST) return SMALLEST;
  const unit = 10n ** BigInt(Math.max(0, fee.toString().length - 2));
  const coarse = unit > SMALLEST ? unit : SMALLEST;
  return ((fee + coarse - 1n) / coarse) * coarse;
}
