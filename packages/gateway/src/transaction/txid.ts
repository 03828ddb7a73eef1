/**
 * What an id of a transaction may be kept as. Hex says the same in any case, and each chain writes it in its own: EVM chains with `0x`
 * and lower case, the XRP Ledger in upper case, the others in lower case. Solana's base58 and TON's base64 tell the cases apart.
 * @example txidForms('0xAB…'); // ['0xab…']
 */
export function txidForms(text: string): string[] {
  if (/^0x[0-9a-f]*$/i.test(text)) return [text.toLowerCase()];
  return /^[0-9a-f]{64}$/i.test(text) ? [text.toLowerCase(), text.toUpperCase()] : [text];
}
