/**
 * The forms in which a transaction id may be stored. Hex ids match in either case: EVM chains store
 * `0x` and lower case, the XRP Ledger upper case, the others lower case. Solana's base58 and TON's
 * base64 are case-sensitive.
 * @example txidForms('0xAB…'); // ['0xab…']
 */
export function txidForms(text: string): string[] {
  if (/^0x[0-9a-f]*$/i.test(text)) return [text.toLowerCase()];
  return /^[0-9a-f]{64}$/i.test(text) ? [text.toLowerCase(), text.toUpperCase()] : [text];
}
