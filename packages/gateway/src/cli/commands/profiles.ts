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

interface NoticeOptions {
  email?: string;
  emailKinds?: string;
}

interface CreateOptions extends NoticeOptions {
  account?: string;
  kinds?: string;
  callbackUrl?: string;
}

interface UpdateOptions extends NoticeOptions {
  account?: string;
  kinds?: string;
  addKinds?: string;
  callbackUrl?: string;
}

const EMAIL = ['--email <address>', 'receiver of e-mail notices'] as const;
const EMAIL_KINDS = [
  '--email-kinds <list>',
  'events that are mailed, for example invoice_confirmed,payout_complete; default: none',
] as const;

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
    .option(...EMAIL)
    .option(...EMAIL_KINDS)
    .action((name: string, options: CreateOptions, command: Command) =>
      withContext(io, async (context) => {
        const { account, kinds, callbackUrl } = options;
        const { id } = await accountOf(context, account);
        if (callbackUrl !== undefined) await requirePublicName(io, context, callbackUrl);
        const profile = await createProfile(context, id, {
          name,
          currencies: await currenciesOf(context, id, kinds),
          ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
          ...noticesOf(options),
        }).catch(asTyped);
        if (callbackUrl === undefined)
          io.note('The profile has no callback URL: its invoices report to nobody.');
        noteSilence(io, profile);
        showOne(io, command.optsWithGlobals(), shown(profile));
      }),
    );

  addUpdate(profiles, io);
}

function addUpdate(profiles: Command, io: Io): void {
  profiles
    .command('update')
    .description(
      'changes the coins, the callback URL or the e-mail notices of a profile; the rest over the API',
    )
    .argument('<id>', "the profile's id")
    .option('--account <id>', 'default: the first account')
    .option('--kinds <list>', 'all kinds that the profile offers from now on')
    .option('--add-kinds <list>', 'kinds that the profile offers beside those it has')
    .option('--callback-url <url>', 'receiver of callbacks')
    .option(...EMAIL)
    .option(...EMAIL_KINDS)
    .action((profileId: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const profile = await update(io, context, { accountId: id, profileId }, options);
        noteSilence(io, profile);
        showOne(io, command.optsWithGlobals(), shown(profile));
      }),
    );
}

async function update(
  io: Io,
  context: Context,
  { accountId, profileId }: { accountId: string; profileId: string },
  options: UpdateOptions,
): Promise<ProfileRow> {
  const profile = isUuid(profileId) ? await findProfile(context.db, accountId, profileId) : null;
  if (profile === null)
    throw new UsageError(`No profile has the id ${profileId}. List them with: profiles list`);
  const { callbackUrl } = options;
  if (callbackUrl !== undefined) await requirePublicName(io, context, callbackUrl);
  const currencies = await changedCurrencies(context, profile, options);
  const changes = {
    ...(currencies === null ? {} : { currencies }),
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    ...noticesOf(options),
  };
  if (Object.keys(changes).length === 0)
    throw new UsageError('Give --kinds, --add-kinds, --callback-url, --email or --email-kinds.');
  return updateProfile(context, accountId, profileId, changes).catch(asTyped);
}

const noticesOf = ({ email, emailKinds }: NoticeOptions) => ({
  ...(email === undefined ? {} : { notification_email: email }),
  ...(emailKinds === undefined ? {} : { notification_email_kinds: emailKinds }),
});

function noteSilence(io: Io, { notification_email, notification_email_kinds }: ProfileRow): void {
  if (notification_email !== null && notification_email_kinds.length === 0)
    io.note('No event is mailed to the address: name events with --email-kinds.');
  if (notification_email === null && notification_email_kinds.length > 0)
    io.note('No address gets these events: name one with --email.');
}

const shown = (profile: ProfileRow) => ({
  id: profile.id,
  account_id: profile.account_id,
  name: profile.name,
  coins: profile.currencies.map(({ kind }) => kind),
  callback_url: profile.callback_url,
  notification_email: profile.notification_email,
  notification_email_kinds: profile.notification_email_kinds,
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
