import { post } from '../server/checkout-server.ts';
import { type Injected, type Outcome, pictureOf } from './ethereum.ts';

/** Wallet Standard: the members that we use. */
interface StandardAccount {
  readonly address: string;
  readonly chains: readonly string[];
}
interface StandardWallet {
  /** Wallets choose their own names. */
  readonly name: unknown;
  readonly icon?: unknown;
  readonly chains: readonly string[];
  readonly features: {
    readonly 'standard:connect'?: { connect(): Promise<{ accounts: readonly StandardAccount[] }> };
    readonly 'solana:signAndSendTransaction'?: {
      signAndSendTransaction(input: {
        account: StandardAccount;
        chain: string;
        transaction: Uint8Array;
      }): Promise<unknown>;
    };
  };
}
type Register = (...wallets: StandardWallet[]) => () => void;

const TIMEOUT_MS = 15_000;
const LONGEST_NAME = 32;
/** Wallets that do not throw code 4001 reject with these words. */
const REJECTED = /\b(?:reject|cancel|den(?:y|ied)|declin)/i;

interface Request {
  /** The checkout's address on its server, which builds the transaction. */
  url: string;
  test: boolean;
}

/**
 * Finds Solana wallets as they register themselves (Wallet Standard). They are offered only if the
 * server can build the transaction: a wallet cannot build one from an address and an amount.
 * @returns a function that ends the search
 */
export function findSolana(request: Request, found: (wallets: Injected[]) => void): () => void {
  const wallets = new Map<string, Injected>();
  const chain = request.test ? 'solana:devnet' : 'solana:mainnet';
  let offered: Promise<boolean> | undefined;
  let ended = false;
  const register: Register = (...added) => {
    for (const wallet of added) {
      const { 'standard:connect': connect, 'solana:signAndSendTransaction': send } =
        wallet.features ?? {};
      const name = (typeof wallet.name === 'string' ? wallet.name : '')
        .trim()
        .slice(0, LONGEST_NAME);
      if (name && connect && send && wallet.chains?.includes(chain))
        wallets.set(name, {
          name,
          icon: pictureOf(wallet.icon),
          pay: () => paySolana(wallet, { ...request, chain }),
        });
    }
    if (wallets.size)
      void (offered ??= isOffered(request.url)).then(
        (yes) => yes && !ended && found([...wallets.values()]),
      );
    return () => {};
  };
  const listen = ({ detail }: Event & { detail?: unknown }): void => {
    if (typeof detail === 'function') detail({ register });
  };
  addEventListener('wallet-standard:register-wallet', listen);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  return () => {
    ended = true;
    removeEventListener('wallet-standard:register-wallet', listen);
  };
}

const isOffered = (url: string): Promise<boolean> =>
  asked(url).then(
    () => true,
    () => false,
  );

async function asked(url: string, question: RequestInit = {}): Promise<{ transaction?: string }> {
  const response = await fetch(`${url}/solana`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...question,
  });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as { transaction?: string };
}

/** Asks the wallet to sign and send a transaction that the server has built. */
async function paySolana(
  { features }: StandardWallet,
  { url, chain }: Request & { chain: string },
): Promise<Outcome> {
  let account: StandardAccount | undefined;
  let transaction: Uint8Array;
  try {
    const { accounts } = await features['standard:connect']!.connect();
    if (!accounts.length) return 'refused';
    account = accounts.find(({ chains }) => chains.includes(chain));
    if (!account) return 'network';
    const made = await asked(url, post({ account: account.address }));
    transaction = Uint8Array.from(atob(made.transaction!), (letter) => letter.codePointAt(0)!);
  } catch {
    return 'refused';
  }
  try {
    await features['solana:signAndSendTransaction']!.signAndSendTransaction({
      account,
      chain,
      transaction,
    });
    return 'sent';
  } catch (error) {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    return code === 4001 || REJECTED.test(String(message)) ? 'refused' : 'unknown';
  }
}
