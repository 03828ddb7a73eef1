import { hex } from '@scure/base';
import { z } from 'zod';
import { ConfigError } from './error.ts';
import type { PublicKeys } from './keys.ts';
import { readJsonFile } from './read-file.ts';

const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * length}}$`))
    .transform((text) => hex.decode(text));
const extended = z.string().startsWith('xpub');

const file = z.object({
  network: z.enum(['mainnet', 'testnet']),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  /** Absent in the files of earlier versions. */
  master_fingerprint: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .optional(),
  bitcoin_format: z.enum(['bech32', 'p2sh']),
  bitcoin: z.object({ bech32: extended, p2sh: extended }),
  utxo: z.record(z.string(), extended),
  liquid: z.object({ account: extended, master_blinding_key: bytes(32) }),
  evm: extended,
  tron: extended,
  xrp: z.string(),
  ton: bytes(32),
  solana: z.array(bytes(32)).min(1),
  lightning: z.object({ node_key: bytes(32) }),
});

/**
 * The content of a public keys file: everything that receiving needs, and nothing that can spend.
 * The blinding key reveals Liquid amounts, and the lightning key signs requests.
 * @param solanaKeys Solana keys cannot be derived from a public key, so each is in the file
 */
export async function publicKeysText(keys: PublicKeys, solanaKeys: number): Promise<string> {
  const solana: string[] = [];
  for (let index = 0; index < solanaKeys; index += 1)
    solana.push(hex.encode(await keys.solana.publicKey(index)));
  const content: z.input<typeof file> = {
    network: keys.network,
    fingerprint: keys.fingerprint,
    ...(keys.masterFingerprint !== null && {
      master_fingerprint: keys.masterFingerprint.toString(16).padStart(8, '0'),
    }),
    bitcoin_format: keys.bitcoinFormat,
    bitcoin: keys.bitcoin,
    utxo: keys.utxo,
    liquid: {
      account: keys.liquid.account,
      master_blinding_key: hex.encode(keys.liquid.masterBlindingKey),
    },
    evm: keys.evm,
    tron: keys.tron,
    xrp: keys.xrp,
    ton: hex.encode(keys.ton),
    solana,
    lightning: { node_key: hex.encode(keys.lightning.nodeKey) },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Reads the file that `crypto-checkout-signer public-keys` wrote.
 * @throws ConfigError with one sentence that names the file
 */
export function readPublicKeys(path: string): PublicKeys {
  const { data, error } = file.safeParse(readJsonFile('PUBLIC_KEYS_FILE:', path));
  if (error !== undefined)
    throw new ConfigError(
      `PUBLIC_KEYS_FILE: ${path} is not valid: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`,
    );
  return {
    network: data.network,
    bitcoinFormat: data.bitcoin_format,
    bitcoin: data.bitcoin,
    utxo: data.utxo,
    liquid: {
      account: data.liquid.account,
      masterBlindingKey: data.liquid.master_blinding_key,
    },
    evm: data.evm,
    tron: data.tron,
    xrp: data.xrp,
    ton: data.ton,
    solana: {
      async publicKey(index) {
        const key = data.solana[index];
        if (key === undefined)
          throw new RangeError(`The public keys file has no Solana key for target ${index}`);
        return key;
      },
    },
    lightning: { nodeKey: data.lightning.node_key },
    masterFingerprint:
      data.master_fingerprint === undefined ? null : Number.parseInt(data.master_fingerprint, 16),
    fingerprint: data.fingerprint,
  };
}
