import { ConfigError } from '@crypto-checkout/chains/error';
import { payPlanOnce } from '@crypto-checkout/chains/lightning/lnd/broadcast';
import { readMacaroon, requireSending } from '@crypto-checkout/chains/lightning/lnd/macaroon';
import { createLndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLndRest } from '@crypto-checkout/chains/lightning/lnd/rest';
import type { PayLightning } from './paying.ts';

/** The lightning node that this signer pays from. */
export interface LightningNodeOptions {
  lndUrl?: string | undefined;
  lndCert?: string | undefined;
  /** Hex digits, or the path of a file. */
  lndMacaroon?: string | undefined;
}

/**
 * Returns what pays by the node. The macaroon that pays stays in this process.
 * @throws ConfigError with one sentence for options that cannot be right
 */
export function lightningNodeOf({
  lndUrl: url,
  lndCert,
  lndMacaroon,
}: LightningNodeOptions): PayLightning | undefined {
  if (url === undefined && lndMacaroon === undefined) return undefined;
  if (url === undefined || lndMacaroon === undefined)
    throw new ConfigError('--lnd-url and --lnd-macaroon belong together: set both, or neither.');
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new ConfigError('--lnd-url must be an https URL.');
  const macaroon = readMacaroon('--lnd-macaroon', lndMacaroon);
  requireSending('--lnd-macaroon', macaroon);
  const payer = createLndPayer(createLndRest({ url, certificateFile: lndCert ?? null, macaroon }));
  return (plan) => payPlanOnce(payer, plan);
}
