import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { pino, type Logger } from 'pino';
import { folderPolicy, seedOf, type FolderOptions } from './folder.ts';
import { lightningNodeOf, type LightningNodeOptions } from './lightning-node.ts';
import { createSignerServer, listenOnSocket, type SignerOptions } from './server.ts';
import { openSignedLog } from './signed-log.ts';

/** Signs for the service until SIGTERM or SIGINT. SIGHUP reads the policy again. */
export async function serve(
  options: FolderOptions & LightningNodeOptions & { socket: string },
): Promise<void> {
  const { dir, socket } = options;
  const payLightning = lightningNodeOf(options);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = pino({ base: { service: 'signer' } });
  const { policy, sha256 } = folderPolicy(dir);
  const seed = seedOf(options);
  const keys = publicKeysOf(seed, { network: policy.network });
  const signedLog = openSignedLog(join(dir, 'signed.log'));
  const state: SignerOptions['state'] = { policy, keys, log: signedLog };
  const server = createSignerServer({ seed, state, payLightning, log });
  await listenOnSocket(server, socket);
  process.on('SIGHUP', () => reloadPolicy(dir, state, log));
  log.info(
    {
      event: 'signer_started',
      socket,
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

/** A file with a mistake changes nothing: the policy before it stays in force. */
function reloadPolicy(dir: string, state: SignerOptions['state'], log: Logger): void {
  try {
    const { policy, sha256 } = folderPolicy(dir);
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
