import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql, type RawBuilder } from 'kysely';
import { AddressError, type ParsedAddress } from '../chain/derive/address-error.ts';
import { parseAddress } from '../chain/derive/target.ts';

const X_ADDRESS = /^[XT][1-9A-Za-z]{46}$/;
const TON_ADDRESS = /^(?:(?:0|-1):[0-9a-f]{64}|[\w+/-]{48})$/i;

/**
 * The condition that a row `i` of invoices or payout recipients is paid at an address, in whatever form it is asked for: with XRP's tag
 * or as X-address, confidential on Liquid or not, bounceable on TON or raw, in any case where it has none.
 */
export function hasAddress(address: string): RawBuilder<unknown> {
  const tagged = /^(r[A-Za-z0-9]{20,40}):(\d{1,10})$/.exec(address);
  if (tagged) return sql`(i.address = ${tagged[1]} and i.tag = ${tagged[2]})`;
  if (/^0x/i.test(address)) return sql`(i.address like '0x%' and lower(i.address) = lower(${address}))`;
  // BIP173: a code holds segwit and Liquid addresses in capitals, which are the same address.
  const plain = /^(bc|tb|ltc|tltc|lq|tlq|ex|tex)1/i.test(address) ? address.toLowerCase() : address;
  const shown = sql`i.address = ${plain} or i.x_address = ${plain} or i.public_address = ${plain}`;
  return sql`(${sql.join([shown, ...storedForms(address)], sql` or `)})`;
}

/** An X-address is stored as account and tag, too, and every address on TON in one form. */
function storedForms(text: string): RawBuilder<unknown>[] {
  const chain = X_ADDRESS.test(text) ? 'xrp' : TON_ADDRESS.test(text) ? 'ton' : null;
  if (chain === null) return [];
  return (['mainnet', 'testnet'] as const).flatMap((network) => {
    const parsed = parsedAddress(chain, network, text);
    if (parsed === null) return [];
    return parsed.tag === null ? sql`i.address = ${parsed.address}` : sql`(i.address = ${parsed.address} and i.tag = ${parsed.tag})`;
  });
}

function parsedAddress(chain: ChainId, network: 'mainnet' | 'testnet', text: string): ParsedAddress | null {
  try {
    return parseAddress(chain, network, text);
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
}
