import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/database.ts';
import { addressOfSender } from './address.ts';
import { createMailer, type MailOutcome, type Mailer } from './mailer.ts';
import { renderNotice } from './render.ts';
import { type ClaimedNotice, claimNotices, recordNotice } from './store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Pauses after a message was deferred. */
const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR];
/** Older notices are dropped, because they are of no use. */
const LIMIT_MS = 48 * HOUR;
/** Notices of one claim; they are sent one after another on one connection. */
const BATCH = 20;
/** Longer than a batch can take. */
const CLAIM_MS = 20 * MINUTE;
/** Pause for a server that cannot be used; doubled each time. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * MINUTE;

/**
 * Sends the notices of the outbox. Several processes share it; one that is killed after sending
 * sends a copy with the same message id.
 */
export class NoticeSender {
  readonly #context: Context;
  readonly #mailer: Mailer;
  readonly #holder = crypto.randomUUID();
  readonly #domain: string;
  #pauseMs = FIRST_PAUSE_MS;
  #pausedUntil = 0;

  constructor(context: Context, mailer: Mailer) {
    this.#context = context;
    this.#mailer = mailer;
    this.#domain = addressOfSender(context.config.smtpFrom)?.split('@')[1] ?? 'localhost';
  }

  /** @returns whether more is due now */
  async sendDue(signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    const { db, clock } = this.#context;
    const now = clock.real();
    if (now < this.#pausedUntil) return false;
    const claim = {
      holder: this.#holder,
      now: timestamp(now),
      until: timestamp(now + CLAIM_MS),
      limit: BATCH,
    };
    const notices = await claimNotices(db, claim);
    let usable = true;
    for (const notice of notices) {
      usable &&= !signal.aborted;
      if (usable) usable = await this.#send(notice);
      else
        await recordNotice(db, notice, this.#holder, {
          ...this.#waiting(this.#pausedUntil),
          counted: false,
          error: null,
        });
    }
    return usable && notices.length === BATCH;
  }

  close(): void {
    this.#mailer.close();
  }

  /** @returns whether the server can be used */
  async #send(notice: ClaimedNotice): Promise<boolean> {
    const { config, db, clock } = this.#context;
    const { id, resource_id, event, content, recipient } = notice;
    const age = clock.real() - milliseconds(notice.created_at_real);
    const outcome: MailOutcome =
      age > LIMIT_MS
        ? { type: 'refused', error: 'It could not be sent within 48 hours' }
        : await this.#mailer.send({
            to: recipient,
            messageId: `<${id}@${this.#domain}>`,
            thread: `<${resource_id}@${this.#domain}>`,
            date: milliseconds(notice.created_at_real),
            ...renderNotice(event, content, config.publicUrl),
          });
    await recordNotice(db, notice, this.#holder, this.#consequence(notice, outcome));
    return outcome.type !== 'down';
  }

  #consequence({ id, attempts }: ClaimedNotice, outcome: MailOutcome) {
    const { clock, log } = this.#context;
    const now = clock.real();
    const ended = (state: 'sent' | 'failed', error: string | null) => ({
      counted: true,
      state,
      error,
      nextAt: null,
      finishedAt: timestamp(now),
    });
    if (outcome.type === 'down') {
      log.warn(
        { event: 'smtp_server_unusable', reason: outcome.error },
        'e-mail notices wait: the SMTP server can not be used',
      );
      this.#pausedUntil = now + this.#pauseMs;
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      return { ...this.#waiting(this.#pausedUntil), counted: false, error: outcome.error };
    }
    this.#pauseMs = FIRST_PAUSE_MS;
    if (outcome.type === 'sent') return ended('sent', null);
    const delay = DELAYS[attempts];
    if (outcome.type === 'later' && delay !== undefined)
      return { ...this.#waiting(now + delay), counted: true, error: outcome.error };
    log.warn(
      { event: 'notice_refused', notice_id: id, reason: outcome.error },
      'an e-mail notice was refused for good',
    );
    return ended('failed', outcome.error);
  }

  #waiting(at: number) {
    return { state: 'pending' as const, nextAt: timestamp(at), finishedAt: null };
  }
}

/** @returns null without `SMTP_URL`: no notice was recorded then */
export function createNoticeSender(context: Context): NoticeSender | null {
  const { smtpUrl, smtpFrom } = context.config;
  return smtpUrl === null ? null : new NoticeSender(context, createMailer({ smtpUrl, smtpFrom }));
}
