import { ConfigError } from '@crypto-checkout/chains/error';
import { createClnNode } from '@crypto-checkout/chains/lightning/cln/node';
import { createClnPayer } from '@crypto-checkout/chains/lightning/cln/payer';
import { CLN } from '@crypto-checkout/chains/lightning/cln/program';
import { createClnRest } from '@crypto-checkout/chains/lightning/cln/rest';
import {
  readRune,
  requireReceivingRune,
  requireSendingRune,
} from '@crypto-checkout/chains/lightning/cln/rune';
import {
  readMacaroon,
  requireReceiving,
  requireSending,
} from '@crypto-checkout/chains/lightning/lnd/macaroon';
import { createLndNode, type LndNode } from '@crypto-checkout/chains/lightning/lnd/node';
import { createLndPayer, type LndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLndRest } from '@crypto-checkout/chains/lightning/lnd/rest';
import {
  LND,
  type LndSettings,
  type NodeProgram,
} from '@crypto-checkout/chains/lightning/lnd/setup';
import { createRemotePayer, type SignerAddress } from '../signer/client/remote-signer.ts';
import type { Config } from '../config.ts';
import type { LightningConfig } from '../settings/lightning.ts';
import type { BroadcastResult } from '@crypto-checkout/chains/sender';

/** The calls of a node, whichever program it runs. */
export interface LightningNode {
  program: NodeProgram;
  /** The names of its settings, for messages. */
  settings: LndSettings & { send: string };
  node: LndNode;
  /** Null without a credential that pays. */
  paying: { payer: LndPayer; pay?: (raw: string) => Promise<BroadcastResult> } | null;
}

export interface LightningNodeOptions {
  config: LightningConfig;
  keysMode: Config['keysMode'];
  /** Socket of the signer process; null without one. */
  signer: SignerAddress | null;
}

/** @throws ConfigError for settings that cannot be right, whatever the node answers */
export function createLightningNode({
  config,
  keysMode,
  signer,
}: LightningNodeOptions): LightningNode {
  requireNoSending(config, keysMode);
  return config.program === 'lnd' ? lndNode(config, signer) : clnNode(config, signer);
}

const NAMES = {
  lnd: {
    url: 'LND_URL',
    certificate: 'LND_CERT',
    macaroon: 'LND_MACAROON',
    send: 'LND_SEND_MACAROON',
  },
  cln: { url: 'CLN_URL', certificate: 'CLN_CERT', macaroon: 'CLN_RUNE', send: 'CLN_SEND_RUNE' },
} as const;

function lndNode(config: LightningConfig, signer: SignerAddress | null): LightningNode {
  const { url, certificateFile, sendCredential } = config;
  const settings = NAMES.lnd;
  const macaroon = readMacaroon(settings.macaroon, config.credential);
  requireReceiving(settings.macaroon, macaroon);
  const rest = createLndRest({ url, certificateFile, macaroon });
  const common = { program: LND, settings, node: createLndNode(rest) };
  // The credential that receives reads payments and channels, too; the signer process alone pays.
  if (signer !== null)
    return {
      ...common,
      paying: { payer: createLndPayer(rest), pay: createRemotePayer(signer) },
    };
  if (sendCredential === null) return { ...common, paying: null };
  const sending = readMacaroon(settings.send, sendCredential);
  requireSending(settings.send, sending);
  const payer = createLndPayer(createLndRest({ url, certificateFile, macaroon: sending }));
  return { ...common, paying: { payer } };
}

function clnNode(config: LightningConfig, signer: SignerAddress | null): LightningNode {
  const { url, certificateFile, sendCredential } = config;
  const settings = NAMES.cln;
  const rune = readRune(settings.macaroon, config.credential);
  requireReceivingRune(settings.macaroon, rune);
  const rest = createClnRest({ url, certificateFile, rune });
  const common = { program: CLN, settings, node: createClnNode(rest) };
  if (signer !== null)
    return {
      ...common,
      paying: { payer: createClnPayer({ rest }), pay: createRemotePayer(signer) },
    };
  if (sendCredential === null) return { ...common, paying: null };
  const sending = readRune(settings.send, sendCredential);
  requireSendingRune(settings.send, sending);
  const payer = createClnPayer({ rest: createClnRest({ url, certificateFile, rune: sending }) });
  return { ...common, paying: { payer } };
}

/** @throws ConfigError where the service must not hold what pays */
function requireNoSending(
  { program, sendCredential }: LightningConfig,
  keysMode: Config['keysMode'],
): void {
  if (sendCredential === null || keysMode === 'local') return;
  const remedy =
    keysMode === 'signer'
      ? 'give it to the signer process'
      : 'pay out over lightning from the node itself';
  throw new ConfigError(
    `${NAMES[program].send} lets this service pay, which KEYS_MODE=${keysMode} excludes; leave it out, and ${remedy}.`,
  );
}
