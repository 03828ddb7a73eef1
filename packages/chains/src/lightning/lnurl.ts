import { bech32, utf8 } from '@scure/base';
import { Bolt11Error } from './bolt11.ts';

/**
 * LUD-01: an https URL in bech32 without the length limit, in lower case. QR codes use upper case.
 */
export function encodeLnurl(url: string): string {
  return bech32.encode('lnurl', bech32.toWords(utf8.decode(url)), false);
}

/**
 * Decodes the URL of an LNURL in either case, with or without `lightning:`.
 * @throws Bolt11Error when the text is not an LNURL
 */
export function decodeLnurl(text: string): string {
  try {
    const { prefix, words } = bech32.decode(
      text.replace(/^lightning:/i, '') as `${string}1${string}`,
      false,
    );
    const url = new TextDecoder('utf-8', { fatal: true }).decode(bech32.fromWords(words));
    if (prefix === 'lnurl' && URL.canParse(url)) return url;
  } catch (cause) {
    throw new Bolt11Error('The text is not an LNURL', { cause });
  }
  throw new Bolt11Error('The text is not an LNURL');
}
