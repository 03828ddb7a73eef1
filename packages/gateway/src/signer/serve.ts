import { join } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { pino, type Logger } from 'pino';
import { openSignerClock } from './clock.ts';
import { folderPolicy, requireKeyFile, seedOf, type PolicyOptions } from './folder.ts';
import { lightningNodeOf, type LightningNodeOptions } from './lightning-node.ts';
import { listenOnAddress, listenOnSocket } from './listen.ts';
import { createSignerServer, type SignerOptions } from './server.ts';
import { openSignedLog } from './signed-log.ts';
import { readTls, type TlsIdentity } from './tls.ts';

const KEEP_EVERY_MS = 60_000;

export interface ServeOptions extends PolicyOptions, LightningNodeOptions {
  socket?: string;
  listen?: string;
  cert?: string;
  certKey?: string;
  clientCa?: string;
}

/** Signs for the service until SIGTERM or SIGINT. SIGHUP reads the policy again. */
export async function serve(options: ServeOptions): Promise<void> {
  const { dir } = options;
  const place = placeOf(options);
  const payLightning = lightningNodeOf(options);
  requireKeyFile(dir);
  const log = pino({ base: { service: 'signer' } });
  const { policy, sha256 } = folderPolicy(options);
  const seed = seedOf(options);
  const keys = publicKeysOf(seed, { network: policy.network });
  const signedLog = openSignedLog(join(dir, 'signed.log'));
  if (signedLog.droppedBytes > 0)
    log.warn(
      { event: 'signed_log_cut', bytes: signedLog.droppedBytes },
      'the last line of signed.log was not whole, as after a crash, and was removed: its signature has not left',
    );
  const state: SignerOptions['state'] = { policy, keys, log: signedLog };
  const clock = openSignerClock(join(dir, 'clock'));
  if (clock.isBehind)
    log.warn(
      { event: 'clock_behind', time: new Date(clock.now()).toISOString() },
      'the clock of the machine is behind the last run: the signer counts from the later time',
    );
  clock.keep();
  setInterval(() => clock.keep(), KEEP_EVERY_MS).unref();
  const { tls, address } = place;
  const server = createSignerServer({
    seed,
    state,
    payLightning,
    log,
    tls,
    now: () => clock.now(),
  });
  await (tls === null ? listenOnSocket(server, address) : listenOnAddress(server, address));
  const bound = server.address();
  process.on('SIGHUP', () => reloadPolicy(options, state, log));
  log.info(
    {
      event: 'signer_started',
      address,
      ...(tls !== null && typeof bound === 'object' && { port: bound?.port }),
      signed: signedLog.entries.length,
      network: policy.network,
      policy_sha256: sha256,
    },
    'listening',
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });
}

/**
 * Where the signer listens: without TLS on a Unix socket only.
 * @throws ConfigError with one sentence
 */
function placeOf({ socket, listen, cert, certKey, clientCa }: ServeOptions): {
  address: string;
  tls: TlsIdentity | null;
} {
  if (socket !== undefined && listen === undefined) return { address: socket, tls: null };
  if (listen === undefined || socket !== undefined)
    throw new ConfigError('The signer needs either --socket or --listen.');
  if (cert === undefined || certKey === undefined || clientCa === undefined)
    throw new ConfigError('--listen needs --cert, --cert-key and --client-ca.');
  const names = { ca: '--client-ca', cert: '--cert', key: '--cert-key' };
  return { address: listen, tls: readTls({ ca: clientCa, cert, key: certKey }, names) };
}

/** A file with a mistake changes nothing: the policy before it stays in force. */
function reloadPolicy(options: PolicyOptions, state: SignerOptions['state'], log: Logger): void {
  try {
    const { policy, sha256 } = folderPolicy(options);
    // The keys were derived for it.
    if (policy.network !== state.policy.network)
      throw new ConfigError(`The network of the policy is fixed to ${state.policy.network}.`);
    state.policy = policy;
    log.info({ event: 'policy_loaded', policy_sha256: sha256 }, 'the policy was read again');
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : String(error);
    log.error(
      { event: 'policy_refused', reason },
      'the policy has a mistake: the one before stays in force',
    );
  }
}
