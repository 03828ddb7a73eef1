import type { Command } from 'commander';
import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Opening } from '../../settings/ip-ranges.ts';
import type { Context } from '../../context.ts';
import { normalAddress } from '../../http/address.ts';
import { ForbiddenDestinationError, requireDestination } from '../../outbound/outbound.ts';
import { createProfile } from '../../profile/create.ts';
import { listProfiles } from '../../profile/store.ts';
import { accountOf } from '../account-of.ts';
import { asTyped, openedBy } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';

interface CreateOptions {
  account?: string;
  kinds?: string;
  callbackUrl?: string;
  email?: string;
}

export function addProfiles(program: Command, io: Io): void {
  const profiles = program
    .command('profiles')
    .description('profiles: coins, callback URL, invoice and payout settings');

  profiles
    .command('list')
    .description('lists the profiles of an account')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listProfiles(context.db, id);
        showRows(
          io,
          command.optsWithGlobals(),
          rows.map((row) => ({
            id: row.id,
            name: row.name,
            coins: row.currencies.length,
            callback_url: row.callback_url,
          })),
          'The account has no profile.',
        );
      }),
    );

  profiles
    .command('create')
    .description('creates a profile with default settings; change them over the API')
    .argument('<name>', 'at most 256 characters')
    .option('--account <id>', 'default: the first account')
    .option(
      '--kinds <list>',
      'comma-separated kinds, for example BTC,ETH_USDT; default: all kinds that can be received',
    )
    .option('--callback-url <url>', 'receiver of callbacks')
    .option('--email <address>', 'receiver of e-mail notices')
    .action(
      (name: string, { account, kinds, callbackUrl, email }: CreateOptions, command: Command) =>
        withContext(io, async (context) => {
          const { id } = await accountOf(context, account);
          if (callbackUrl !== undefined) await requirePublicName(io, context, callbackUrl);
          const profile = await createProfile(context, id, {
            name,
            currencies: await currenciesOf(context, id, kinds),
            ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
            ...(email === undefined ? {} : { notification_email: email }),
          }).catch(asTyped);
          showOne(io, command.optsWithGlobals(), {
            id: profile.id,
            account_id: id,
            name: profile.name,
            coins: profile.currencies.map(({ kind }) => kind),
            callback_url: profile.callback_url,
          });
        }),
    );
}

/**
 * Resolves the host of a callback address, so that a private one is refused at once and not with
 * the first callback. A text that is not a URL, or holds a literal address, is left to the
 * profile's own check.
 */
async function requirePublicName(io: Io, { config }: Context, text: string): Promise<void> {
  if (!URL.canParse(text)) return;
  const url = new URL(text);
  if (normalAddress(url.hostname) !== null) return;
  const addresses = await io.resolve(url.hostname);
  const closed = addresses.flatMap((address) => {
    const opening = openingOf(withHost(url, address), config.outboundAllow);
    return opening === null ? [] : [{ address, opening }];
  });
  if (closed.length === 0) return;
  const named = closed.map(({ address }) => address).join(' and ');
  const openings = closed.map(({ opening }) => opening).join(' ');
  throw new UsageError(
    `--callback-url: ${url.hostname} resolves to ${named}, which is not a public address. ${openedBy(openings)}`,
  );
}

function withHost(url: URL, address: string): URL {
  const changed = new URL(url);
  changed.hostname = address.includes(':') ? `[${address}]` : address;
  return changed;
}

/** @returns null when the address is allowed, or when no setting can allow it */
function openingOf(url: URL, allow: readonly Opening[]): string | null {
  try {
    requireDestination(url, allow, true);
    return null;
  } catch (error) {
    if (!(error instanceof ForbiddenDestinationError)) throw error;
    return error.opening;
  }
}

/** Each kind with the account's wallet of its chain. */
async function currenciesOf({ db, chains }: Context, accountId: string, list: string | undefined) {
  const offered = new Set([...chains.values()].flatMap((chain) => chain.kinds));
  const kinds =
    list === undefined
      ? KINDS.map(({ kind }) => kind).filter((kind) => offered.has(kind))
      : list.split(',').map((kind) => kind.trim());
  const { rows } = await sql<{ id: string; chain: string }>`
    select distinct on (chain) id, chain from wallet where account_id = ${accountId} order by chain, created_at`.execute(
    db,
  );
  const wallets = new Map(rows.map(({ id, chain }) => [chain, id]));
  return kinds.map((typed) => {
    // Some kinds have lower-case letters, which are easy to mistype.
    const kind = [...offered].find((one) => one.toLowerCase() === typed.toLowerCase()) ?? typed;
    const chain = kindOf(kind)?.chain;
    const wallet = chain && wallets.get(CHAINS[chain].walletChain);
    if (!wallet || !offered.has(kind))
      throw new UsageError(`--kinds: "${kind}" is unknown; allowed: ${[...offered].join(', ')}.`);
    return { kind, wallet_id: wallet };
  });
}
