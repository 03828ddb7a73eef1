import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { signerAddress } from '../engine/open-keys.ts';
import { problemOfMailServer } from '../notice/mailer.ts';
import { createOutbound, ForbiddenDestinationError } from '../outbound/outbound.ts';
import { PUBLIC_SOURCES } from '../rate/public-sources.ts';
import { askSource, type RateSource } from '../rate/source.ts';
import { createRemoteSigner } from '../signer/client/remote-signer.ts';
import { fault, type Finding, lookAt, ok, present, readFrom, warning } from './finding.ts';

export interface OutsideOptions {
  /** Default: the public ones. */
  sources?: readonly RateSource[];
}

/** The machines that the service has to reach: sources of rates, mail, receivers, the signer. */
export async function checkOutside(
  config: Config,
  db: Db | null,
  { sources = PUBLIC_SOURCES }: OutsideOptions = {},
): Promise<Finding[]> {
  const groups = await Promise.all([
    checkRates(sources),
    checkMail(config),
    checkCallbacks(config, db),
    checkSigner(config),
  ]);
  return groups.flat();
}

async function checkRates(sources: readonly RateSource[]): Promise<Finding[]> {
  const findings = await Promise.all(
    sources.map(async (source) => {
      try {
        await askSource(source, fetch);
        return ok('rates', `${source.name} answers.`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return warning('rates', `${source.name}: ${reason}; let the firewall pass it.`);
      }
    }),
  );
  return findings.some(({ result }) => result === 'ok')
    ? findings
    : [
        ...findings,
        fault(
          'rates',
          'No source answers: without rates there are no invoices. Open the firewall.',
        ),
      ];
}

async function checkMail({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === null) return [ok('SMTP_URL', 'It is not set: no notices are sent.')];
  const problem = await problemOfMailServer(smtpUrl);
  return [
    problem === null
      ? ok('SMTP_URL', 'The mail server answers.')
      : fault('SMTP_URL', `The mail server cannot be used: ${problem}. Correct SMTP_URL.`),
  ];
}

/** Any answer shows that a receiver is there; only a signed callback means anything to it. */
async function checkCallbacks(config: Config, db: Db | null): Promise<Finding[]> {
  const send = createOutbound({ allow: config.outboundAllow });
  const { found, mistake } = await readFrom(db, [], readReceivers);
  const receivers = found.length > 0 ? found : [receiverOf(config)];
  const findings = await Promise.all(
    receivers.map(async ({ about, url }) => {
      if (url === null)
        return warning(about, 'It has no callback URL, so its invoices report to nobody.');
      try {
        const answer = await send(url, { method: 'HEAD', redirect: 'manual' });
        await answer.body?.cancel();
        return ok(about, `${new URL(url).origin} answers.`);
      } catch (error) {
        if (error instanceof ForbiddenDestinationError)
          return fault(
            about,
            `${error.message}${error.opening === null ? '' : `; OUTBOUND_ALLOW=${error.opening} permits it`}.`,
          );
        return fault(about, `${new URL(url).origin} cannot be reached: start or correct it.`);
      }
    }),
  );
  return present([mistake, ...findings]);
}

/** Without a setting of its own, the address of callbacks follows from the BFF's. */
function receiverOf({ callbackUrl: url, publicUrl }: Config): Receiver {
  return { about: url === `${publicUrl}/callbacks` ? 'PUBLIC_URL' : 'CALLBACK_URL', url };
}

interface Receiver {
  about: string;
  url: string | null;
}

async function readReceivers(db: Db): Promise<Receiver[]> {
  const { rows } = await sql<{ name: string; callback_url: string | null }>`
    select name, callback_url from profile where deleted_at is null order by created_at`.execute(
    db,
  );
  return rows.map(({ name, callback_url: url }) => ({ about: `profile "${name}"`, url }));
}

async function checkSigner(config: Config): Promise<Finding[]> {
  if (config.keysMode !== 'signer') return [];
  const { found: problem, mistake } = await lookAt('SIGNER_URL', null, async () => {
    const signer = createRemoteSigner({
      ...signerAddress(config),
      approvalOf: async () => null,
    });
    return (await signer.problem?.()) ?? null;
  });
  return present([
    mistake ??
      (problem === null
        ? ok('SIGNER_URL', 'The signer answers.')
        : fault('SIGNER_URL', `The signer does not answer (${problem}): start or correct it.`)),
  ]);
}
