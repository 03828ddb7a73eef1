import type { Command } from 'commander';
import type { Opening } from '../../settings/ip-ranges.ts';
import type { Context } from '../../context.ts';
import { normalAddress } from '../../http/address.ts';
import { isUuid } from '../../http/id.ts';
import { ForbiddenDestinationError, requireDestination } from '../../outbound/outbound.ts';
import { createProfile } from '../../profile/create.ts';
import { findProfile, listProfiles, type ProfileRow } from '../../profile/store.ts';
import { updateProfile } from '../../profile/update.ts';
import { accountOf } from '../account-of.ts';
import { asTyped, openedBy } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';
import { changedCurrencies, currenciesOf } from './profile-kinds.ts';

interface CreateOptions {
  account?: string;
  kinds?: string;
  callbackUrl?: string;
  email?: string;
}

interface UpdateOptions {
  account?: string;
  kinds?: string;
  addKinds?: string;
  callbackUrl?: string;
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
          if (callbackUrl === undefined)
            io.note('The profile has no callback URL: its invoices report to nobody.');
          showOne(io, command.optsWithGlobals(), shown(profile));
        }),
    );

  addUpdate(profiles, io);
}

function addUpdate(profiles: Command, io: Io): void {
  profiles
    .command('update')
    .description('changes the coins or the callback URL of a profile; the rest over the API')
    .argument('<id>', "the profile's id")
    .option('--account <id>', 'default: the first account')
    .option('--kinds <list>', 'all kinds that the profile offers from now on')
    .option('--add-kinds <list>', 'kinds that the profile offers beside those it has')
    .option('--callback-url <url>', 'receiver of callbacks')
    .action((profileId: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const profile = await update(io, context, { accountId: id, profileId }, options);
        showOne(io, command.optsWithGlobals(), shown(profile));
      }),
    );
}

async function update(
  io: Io,
  context: Context,
  { accountId, profileId }: { accountId: string; profileId: string },
  { callbackUrl, ...kinds }: UpdateOptions,
): Promise<ProfileRow> {
  const profile = isUuid(profileId) ? await findProfile(context.db, accountId, profileId) : null;
  if (profile === null)
    throw new UsageError(`No profile has the id ${profileId}. List them with: profiles list`);
  if (callbackUrl !== undefined) await requirePublicName(io, context, callbackUrl);
  const currencies = await changedCurrencies(context, profile, kinds);
  if (currencies === null && callbackUrl === undefined)
    throw new UsageError('Give --kinds, --add-kinds or --callback-url.');
  return updateProfile(context, accountId, profileId, {
    ...(currencies === null ? {} : { currencies }),
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
  }).catch(asTyped);
}

const shown = ({ id, account_id, name, currencies, callback_url }: ProfileRow) => ({
  id,
  account_id,
  name,
  coins: currencies.map(({ kind }) => kind),
  callback_url,
});

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
