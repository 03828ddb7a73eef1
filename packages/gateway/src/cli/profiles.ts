import type { Command } from 'commander';
import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Opening } from '../config.ts';
import type { Context } from '../context.ts';
import { normalAddress } from '../http/address.ts';
import { ForbiddenDestinationError, requireDestination } from '../http/outbound.ts';
import { createProfile } from '../profile/create.ts';
import { listProfiles } from '../profile/store.ts';
import { accountOf } from './account-of.ts';
import { asTyped, openedBy } from './as-typed.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showOne, showRows } from './table.ts';

interface CreateOptions {
  account?: string;
  kinds?: string;
  callbackUrl?: string;
  email?: string;
}

export function addProfiles(program: Command, io: Io): void {
  const profiles = program.command('profiles').description('profiles: coins, callback address and terms of invoices and payouts');

  profiles
    .command('list')
    .description('the profiles of an account')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listProfiles(context.db, id);
        showRows(
          io,
          command.optsWithGlobals(),
          rows.map((row) => ({ id: row.id, name: row.name, coins: row.currencies.length, callback_url: row.callback_url })),
          'The account has no profile.',
        );
      }),
    );

  profiles
    .command('create')
    .description('a profile with the terms of a new one; the interface changes them')
    .argument('<name>', 'at most 256 characters')
    .option('--account <id>', 'default: the first account')
    .option('--kinds <list>', 'coin kinds with commas between them, BTC,ETH_USDT; default: every kind that can be received')
    .option('--callback-url <url>', 'where callbacks go')
    .option('--email <address>', 'where e-mail notices go')
    .action((name: string, { account, kinds, callbackUrl, email }: CreateOptions, command: Command) =>
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
 * The service asks for a name when it calls it, and refuses it only then; who types one here is told at once. What is no URL is left
 * to the profile's own check, and so is an address, which needs no asking.
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
  throw new UsageError(`--callback-url names ${url.hostname}, which resolves to ${named}, and that is not public. ${openedBy(openings)}`);
}

function withHost(url: URL, address: string): URL {
  const changed = new URL(url);
  changed.hostname = address.includes(':') ? `[${address}]` : address;
  return changed;
}

/** @returns null for what may be called, and for what nothing opens */
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
    list === undefined ? KINDS.map(({ kind }) => kind).filter((kind) => offered.has(kind)) : list.split(',').map((kind) => kind.trim());
  const { rows } = await sql<{ id: string; chain: string }>`
    select distinct on (chain) id, chain from wallet where account_id = ${accountId} order by chain, created_at`.execute(db);
  const wallets = new Map(rows.map(({ id, chain }) => [chain, id]));
  return kinds.map((typed) => {
    // Some have small letters in them, which nobody types from memory.
    const kind = [...offered].find((one) => one.toLowerCase() === typed.toLowerCase()) ?? typed;
    const chain = kindOf(kind)?.chain;
    const wallet = chain && wallets.get(CHAINS[chain].walletChain);
    if (!wallet || !offered.has(kind)) throw new UsageError(`--kinds has "${kind}", which is none of ${[...offered].join(', ')}.`);
    return { kind, wallet_id: wallet };
  });
}
