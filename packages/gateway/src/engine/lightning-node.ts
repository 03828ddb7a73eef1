import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
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
import { createLndAdapter } from '@crypto-checkout/chains/lightning/lnd/adapter';
import {
  readMacaroon,
  requireReceiving,
  requireSending,
  uncheckedReceiving,
  uncheckedSending,
} from '@crypto-checkout/chains/lightning/lnd/macaroon';
import { createLndNode, type LndNode } from '@crypto-checkout/chains/lightning/lnd/node';
import { createLndPayer, type LndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLndRest } from '@crypto-checkout/chains/lightning/lnd/rest';
import {
  LND,
  setUpLnd,
  type LndSetup,
  type NodeProgram,
} from '@crypto-checkout/chains/lightning/lnd/setup';
import { createPhoenixdAdapter } from '@crypto-checkout/chains/lightning/phoenixd/adapter';
import { createPhoenixd } from '@crypto-checkout/chains/lightning/phoenixd/client';
import { setUpPhoenixd } from '@crypto-checkout/chains/lightning/phoenixd/setup';
import { createRemotePayer, type SignerAddress } from '../signer/client/remote-signer.ts';
import type { Config } from '../config.ts';
import type { LightningConfig } from '../settings/lightning.ts';
import type { BroadcastResult } from '@crypto-checkout/chains/sender';

/** A node, whichever program it runs. */
export interface LightningNode {
  /** The name of the setting with its address. */
  url: string;
  /** Whether its channels limit what can be received and sent. phoenixd makes them as needed. */
  hasChannels: boolean;
  /** The reason why nothing is paid out, where `paying` is null. */
  receivesOnly: string;
  /** Sentences about credentials whose permissions cannot be read. */
  unchecked: readonly string[];
  /**
   * Asks the node whether it can be used.
   * @throws ConfigError for a wrong answer
   * @throws UnavailableError while it does not answer
   */
  open(): Promise<OpenNode>;
  /** Null without a credential that pays. */
  paying: { payer: LndPayer; pay?: (raw: string) => Promise<BroadcastResult> } | null;
}

export interface OpenNode {
  setup: Pick<LndSetup, 'network' | 'scan'>;
  adapter: ChainAdapter;
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
  switch (config.program) {
    case 'lnd':
      return lndNode(config, signer);
    case 'cln':
      return clnNode(config, signer);
    case 'phoenixd':
      return phoenixdNode(config);
    default:
      throw new Error(`Unknown program ${String(config.program satisfies never)}`);
  }
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
  const receiving = uncheckedReceiving(settings.macaroon, macaroon);
  const common = {
    ...nodeOf(createLndNode(rest), settings, LND),
    unchecked: receiving === null ? [] : [receiving],
  };
  // The credential that receives reads payments and channels, too; the signer process alone pays.
  if (signer !== null)
    return {
      ...common,
      paying: { payer: createLndPayer(rest), pay: createRemotePayer(signer) },
    };
  if (sendCredential === null) return { ...common, paying: null };
  const sending = readMacaroon(settings.send, sendCredential);
  requireSending(settings.send, sending);
  const unsure = uncheckedSending(settings.send, sending);
  const payer = createLndPayer(createLndRest({ url, certificateFile, macaroon: sending }));
  const unchecked = [...common.unchecked, ...(unsure === null ? [] : [unsure])];
  return { ...common, unchecked, paying: { payer } };
}

function clnNode(config: LightningConfig, signer: SignerAddress | null): LightningNode {
  const { url, certificateFile, sendCredential } = config;
  const settings = NAMES.cln;
  const rune = readRune(settings.macaroon, config.credential);
  requireReceivingRune(settings.macaroon, rune);
  const rest = createClnRest({ url, certificateFile, rune });
  const common = nodeOf(createClnNode(rest), settings, CLN);
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

type Names = (typeof NAMES)[keyof typeof NAMES];

const nodeOf = (
  node: LndNode,
  settings: Names,
  program: NodeProgram,
): Omit<LightningNode, 'paying'> => ({
  url: settings.url,
  hasChannels: true,
  // Runes without readable restrictions are refused.
  unchecked: [],
  receivesOnly: `without ${settings.send} nothing is paid out over lightning`,
  async open() {
    const setup = await setUpLnd(node, settings, program);
    return { setup, adapter: createLndAdapter({ node, setup }) };
  },
});

function phoenixdNode({ url, credential: password }: LightningConfig): LightningNode {
  const node = createPhoenixd({ url, password });
  return {
    url: 'PHOENIXD_URL',
    hasChannels: false,
    receivesOnly:
      'phoenixd takes no limit for the fee of a payment: nothing is paid out over lightning',
    unchecked: [],
    async open() {
      const setup = await setUpPhoenixd(node);
      return { setup, adapter: createPhoenixdAdapter({ node, setup }) };
    },
    paying: null,
  };
}

/** @throws ConfigError where the service must not hold what pays */
function requireNoSending(
  { program, sendCredential }: LightningConfig,
  keysMode: Config['keysMode'],
): void {
  if (program === 'phoenixd' || sendCredential === null || keysMode === 'local') return;
  const remedy =
    keysMode === 'signer'
      ? 'give it to the signer process'
      : 'pay out over lightning from the node itself';
  throw new ConfigError(
    `${NAMES[program].send} lets this service pay, which KEYS_MODE=${keysMode} excludes; leave it out, and ${remedy}.`,
  );
}
