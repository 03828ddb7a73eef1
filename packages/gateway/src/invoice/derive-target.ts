import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, DeriveOptions } from '@crypto-checkout/chains/adapter';
import { AmountLimitError } from '@crypto-checkout/chains/error';
import type { Context } from '../context.ts';
import { UnavailableError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import { takeIndex } from './store.ts';
import type { NewInvoice, NumberedTarget } from './insert.ts';

export const LNURL = 'BTC_LIGHTNING_LNURL';

/**
 * Derives the next deposit target of the kind's key group.
 * @throws UnavailableError when the chain's node cannot create one
 */
export async function deriveTarget(
  context: Context,
  adapter: ChainAdapter,
  invoice: Pick<NewInvoice, 'id' | 'kind' | 'invoiced' | 'notes'> & { expiration_seconds: number },
  more: Pick<DeriveOptions, 'descriptionHash' | 'hashedDescription' | 'format'> = {},
): Promise<NumberedTarget> {
  const index = await takeIndex(context.db, CHAINS[adapter.chain].keyGroup);
  try {
    const target = await adapter.deriveTarget({
      kind: invoice.kind,
      index,
      amount: invoice.invoiced === null ? null : parseAmount(invoice.invoiced),
      expirySeconds: invoice.expiration_seconds,
      description: invoice.notes ?? `Invoice ${invoice.id}`,
      ...more,
      ...(invoice.kind === LNURL
        ? { lnurl: `${context.config.lnurlBaseUrl}/lnurl/${invoice.id}` }
        : {}),
      now: context.clock.now(),
    });
    return { ...target, index };
  } catch (cause) {
    if (cause instanceof AmountLimitError) throw invalid('amount', cause.message);
    throw new UnavailableError(`${adapter.chain} did not return an address`, { cause });
  }
}
