import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { kindOf } from '@crypto-checkout/protocol/kind';

/**
 * The transaction's page of a block explorer; null on test networks, whose transactions are not
 * sent to other sites.
 */
export function explorerUrl(kind: string, txid: string, network: string): string | null {
  const chain = kindOf(kind)?.chain;
  const explorer = chain && CHAIN_DETAILS[chain].explorer;
  return explorer && network === 'mainnet' && /^[\w+/=-]+$/.test(txid)
    ? `${explorer}${encodeURIComponent(txid)}`
    : null;
}
