import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import { AddressError } from '@crypto-checkout/chains/parsed-address';
import { AmountError } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';

/**
 * The chain of an address that is none of `chain`: some look the same, such as Bitcoin's 3… and
 * Litecoin's M….
 */
export const otherChainOf = (
  chain: ChainId,
  network: 'mainnet' | 'testnet',
  text: string,
): ChainId | null =>
  (Object.keys(CHAINS) as ChainId[]).find(
    (other) => other !== chain && isAddressOf(other, network, text),
  ) ?? null;

function isAddressOf(chain: ChainId, network: 'mainnet' | 'testnet', text: string): boolean {
  try {
    parseAddress(chain, network, text);
    return true;
  } catch (error) {
    if (error instanceof AddressError || error instanceof AmountError) return false;
    throw error;
  }
}
