import type { Logger } from 'pino';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';
import { createLndAdapter } from '@crypto-checkout/chains/lightning/lnd/adapter';
import {
  readMacaroon,
  requireReceiving,
  requireSending,
} from '@crypto-checkout/chains/lightning/lnd/macaroon';
import { createLndNode } from '@crypto-checkout/chains/lightning/lnd/node';
import { createLndPayer } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLndRest } from '@crypto-checkout/chains/lightning/lnd/rest';
import { createLndSender } from '@crypto-checkout/chains/lightning/lnd/sender';
import { setUpLnd, type LndSetup } from '@crypto-checkout/chains/lightning/lnd/setup';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Config } from '../config.ts';
import type { LndConfig } from '../settings/lightning.ts';
import { differentNetworks } from './evm-chain.ts';

type Network = 'mainnet' | 'testnet';

/** The lightning node; one that does not answer is asked again. */
export interface LightningChain {
  readonly setup: LndSetup | null;
  /** Why it is not open; null when it is. */
  readonly reason: string | null;
  /**
   * @param expected null: any network
   * @throws ConfigError for a wrong answer
   */
  tryToOpen(expected: Network | null): Promise<void>;
  adapter(network: Network): ChainAdapter;
  /** Null until the node is open, and without a macaroon that pays. */
  sender(): ChainSender | null;
}

export interface LightningChainOptions {
  lnd: LndConfig;
  keysMode: Config['keysMode'];
  log: Pick<Logger, 'warn'>;
}

const SETTINGS = { url: 'LND_URL', certificate: 'LND_CERT', macaroon: 'LND_MACAROON' };

/** @throws ConfigError for settings that cannot be right, whatever the node answers */
export function createLightningChain({
  lnd,
  keysMode,
  log,
}: LightningChainOptions): LightningChain {
  const { url, certificateFile } = lnd;
  const macaroon = readMacaroon('LND_MACAROON', lnd.macaroon);
  requireReceiving('LND_MACAROON', macaroon);
  const node = createLndNode(createLndRest({ url, certificateFile, macaroon }));
  const sender = createSender(lnd, keysMode);
  if (sender === null)
    log.warn(
      { event: 'lightning_receives_only' },
      'without LND_SEND_MACAROON nothing is paid out over lightning',
    );
  let setup: LndSetup | null = null;
  let reason: string | null = null;
  const late = createLateAdapter(() => reason ?? 'LND_URL: the node was not asked yet');
  return {
    get setup() {
      return setup;
    },
    get reason() {
      return reason;
    },
    async tryToOpen(expected) {
      if (setup !== null) return;
      try {
        const answer = await setUpLnd(node, SETTINGS);
        if (expected !== null && answer.network !== expected) throw differentNetworks();
        setup = answer;
        late.open(createLndAdapter({ node, setup }));
        reason = null;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        if (!(error instanceof UnavailableError)) throw error;
      }
    },
    adapter: (network) => late.adapter(network),
    sender: () => (setup === null ? null : sender),
  };
}

/** Stands for the adapter of a node that answers later. */
function createLateAdapter(closedReason: () => string) {
  const listeners = new Set<() => void>();
  let opened: ChainAdapter | null = null;
  const requireOpen = (): ChainAdapter => {
    if (opened === null) throw new UnavailableError(closedReason());
    return opened;
  };
  return {
    open(adapter: ChainAdapter): void {
      opened = adapter;
      for (const listener of listeners) adapter.onNews?.(listener);
    },
    adapter: (network: Network): ChainAdapter => ({
      chain: 'lightning',
      network,
      source: 'node',
      mempool: false,
      get kinds() {
        return opened?.kinds ?? [];
      },
      health: async () =>
        opened === null ? { ok: false, tip: null, detail: closedReason() } : opened.health(),
      deriveTarget: async (options) => requireOpen().deriveTarget(options),
      scan: async (cursor, match, limits) => requireOpen().scan(cursor, match, limits),
      blockAt: async (height) => requireOpen().blockAt(height),
      cancelRequest: async (paymentHash) => requireOpen().cancelRequest!(paymentHash),
      usualFee: async () => requireOpen().usualFee!(),
      liquidity: async () => requireOpen().liquidity!(),
      onNews(listener) {
        listeners.add(listener);
        const end = opened?.onNews?.(listener);
        return () => {
          listeners.delete(listener);
          end?.();
        };
      },
      close: () => opened?.close?.(),
    }),
  };
}

/** @throws ConfigError where the service must not hold what pays */
function createSender(lnd: LndConfig, keysMode: Config['keysMode']): ChainSender | null {
  if (lnd.sendMacaroon === null) return null;
  if (keysMode !== 'local')
    throw new ConfigError(
      `LND_SEND_MACAROON lets this service pay, which KEYS_MODE=${keysMode} excludes; leave it out, and pay out over lightning from the node itself.`,
    );
  const macaroon = readMacaroon('LND_SEND_MACAROON', lnd.sendMacaroon);
  requireSending('LND_SEND_MACAROON', macaroon);
  const { url, certificateFile, feeLimit } = lnd;
  const payer = createLndPayer(createLndRest({ url, certificateFile, macaroon }));
  // The node's requests have real times.
  return createLndSender({ payer, feeLimit, now: Date.now });
}
