import { ConfigError } from '@crypto-checkout/chains/error';
import { createClnPayer } from '@crypto-checkout/chains/lightning/cln/payer';
import { createClnRest } from '@crypto-checkout/chains/lightning/cln/rest';
import { readRune, requireSendingRune } from '@crypto-checkout/chains/lightning/cln/rune';
import { payPlanOnce } from '@crypto-checkout/chains/lightning/lnd/broadcast';
import { readMacaroon, requireSending } from '@crypto-checkout/chains/lightning/lnd/macaroon';
import { createLndPayer, type LndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLndRest } from '@crypto-checkout/chains/lightning/lnd/rest';
import type { PayLightning } from './paying.ts';

/** The lightning node that this signer pays from. */
export interface LightningNodeOptions {
  lndUrl?: string | undefined;
  lndCert?: string | undefined;
  /** Hex digits, or the path of a file. */
  lndMacaroon?: string | undefined;
  clnUrl?: string | undefined;
  clnCert?: string | undefined;
  /** Its text, or the path of a file. */
  clnRune?: string | undefined;
}

/**
 * Returns what pays by the node. The macaroon or rune that pays stays in this process.
 * @throws ConfigError with one sentence for options that cannot be right
 */
export function lightningNodeOf(options: LightningNodeOptions): PayLightning | undefined {
  const lnd = lndPayerOf(options);
  const cln = clnPayerOf(options);
  if (lnd !== undefined && cln !== undefined)
    throw new ConfigError('--lnd-url and --cln-url exclude each other: one node pays.');
  const payer = lnd ?? cln;
  return payer && ((plan, earlier) => payPlanOnce(payer, plan, earlier));
}

function lndPayerOf({ lndUrl, lndCert, lndMacaroon }: LightningNodeOptions): LndPayer | undefined {
  const names = { url: '--lnd-url', credential: '--lnd-macaroon' };
  const node = nodeOf(names, lndUrl, lndMacaroon);
  if (node === undefined) return undefined;
  const macaroon = readMacaroon(names.credential, node.credential);
  requireSending(names.credential, macaroon);
  const certificateFile = lndCert ?? null;
  return createLndPayer(createLndRest({ url: node.url, certificateFile, macaroon }));
}

function clnPayerOf({ clnUrl, clnCert, clnRune }: LightningNodeOptions): LndPayer | undefined {
  const names = { url: '--cln-url', credential: '--cln-rune' };
  const node = nodeOf(names, clnUrl, clnRune);
  if (node === undefined) return undefined;
  const rune = readRune(names.credential, node.credential);
  requireSendingRune(names.credential, rune);
  const certificateFile = clnCert ?? null;
  return createClnPayer({ rest: createClnRest({ url: node.url, certificateFile, rune }) });
}

function nodeOf(
  names: { url: string; credential: string },
  url: string | undefined,
  credential: string | undefined,
): { url: string; credential: string } | undefined {
  if (url === undefined && credential === undefined) return undefined;
  if (url === undefined || credential === undefined)
    throw new ConfigError(
      `${names.url} and ${names.credential} belong together: set both, or neither.`,
    );
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new ConfigError(`${names.url} must be an https URL.`);
  return { url, credential };
}
