import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql, type RawBuilder } from 'kysely';
import { AddressError, type ParsedAddress } from '@crypto-checkout/chains/parsed-address';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';

const X_ADDRESS = /^[XT][1-9A-Za-z]{46}$/;
const TON_ADDRESS = /^(?:(?:0|-1):[0-9a-f]{64}|[\w+/-]{48})$/i;

/**
 * Condition that a row `i` of invoices or payout recipients has an address. Accepts every form of
 * it: with an XRP tag or as X-address, confidential or not on Liquid, bounceable or raw on TON, and
 * in either case where the encoding ignores case.
 */
export function hasAddress(address: string): RawBuilder<unknown> {
  const tagged = /^(r[A-Za-z0-9]{20,40}):(\d{1,10})$/.exec(address);
  if (tagged) return sql`(i.address = ${tagged[1]} and i.tag = ${tagged[2]})`;
  if (/^0x/i.test(address))
    return sql`(i.address like '0x%' and lower(i.address) = lower(${address}))`;
  // BIP173: QR codes hold segwit addresses in upper case; Liquid addresses likewise.
  const plain = /^(bc|tb|ltc|tltc|lq|tlq|ex|tex)1/i.test(address) ? address.toLowerCase() : address;
  const direct = sql`i.address = ${plain} or i.x_address = ${plain} or i.public_address = ${plain}`;
  return sql`(${sql.join([direct, ...storedForms(address)], sql` or `)})`;
}

/** The stored form of an X-address (account and tag) and of any TON address. */
function storedForms(text: string): RawBuilder<unknown>[] {
  const chain = X_ADDRESS.test(text) ? 'xrp' : TON_ADDRESS.test(text) ? 'ton' : null;
  if (chain === null) return [];
  return (['mainnet', 'testnet'] as const).flatMap((network) => {
    const parsed = parsedAddress(chain, network, text);
    if (parsed === null) return [];
    return parsed.tag === null
      ? sql`i.address = ${parsed.address}`
      : sql`(i.address = ${parsed.address} and i.tag = ${parsed.tag})`;
  });
}

function parsedAddress(
  chain: ChainId,
  network: 'mainnet' | 'testnet',
  text: string,
): ParsedAddress | null {
  try {
    return parseAddress(chain, network, text);
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
}
