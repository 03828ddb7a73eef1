import { withinTime } from '@crypto-checkout/chains/within-time';
import { createTransport } from 'nodemailer';
import { isAddress } from './address.ts';

/** A message with its addresses. */
export interface Mail {
  to: string;
  /** The same for every attempt, so that a mail program shows copies as one. */
  messageId: string;
  /** Milliseconds since the epoch. */
  date: number;
  /** Message id that all notices of one resource refer to. */
  thread: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * Outcome of an attempt. `later`: this message was deferred; `refused`: permanently; `down`: the
 * server cannot be used at all, which says nothing about this message.
 */
export type MailOutcome = { type: 'sent' } | { type: 'later' | 'refused' | 'down'; error: string };

export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

export interface MailerOptions {
  /** `smtp://` (STARTTLS where offered) or `smtps://`, in nodemailer's form. */
  smtpUrl: string;
  smtpFrom: string;
  /** Limit of one message. Default: 45 seconds. */
  deadlineMs?: number;
}

const CONNECT_MS = 10_000;
const SOCKET_MS = 30_000;
/** A server that answers slowly, line by line, resets the other limits. */
const DEADLINE_MS = 45_000;

/** Sends over SMTP and keeps the connection for the next message. */
export function createMailer({
  smtpUrl,
  smtpFrom,
  deadlineMs = DEADLINE_MS,
}: MailerOptions): Mailer {
  const transport = createTransport(
    {
      url: smtpUrl,
      pool: true,
      maxConnections: 2,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SOCKET_MS,
    },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send({ to, messageId, date, thread, subject, text, html }) {
      if (!isAddress(to)) return { type: 'refused', error: 'The address is not one' };
      try {
        const message = {
          from: smtpFrom,
          // Passed as an object it is one address, whatever it contains.
          to: { name: '', address: to },
          messageId,
          date: new Date(date),
          references: thread,
          subject,
          text,
          html,
          // Prevents out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        };
        await withinTime(
          () => transport.sendMail(message),
          deadlineMs,
          () => {
            throw new Error('The mail server is too slow');
          },
        );
        return { type: 'sent' };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Logs in to the mail server, and sends nothing.
 * @returns the end of a sentence about what is wrong; null when the server takes the login
 */
export async function problemOfMailServer(smtpUrl: string): Promise<string | null> {
  const transport = createTransport(
    {
      url: smtpUrl,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: CONNECT_MS,
    },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return (error as SmtpError).message.slice(0, 200);
  } finally {
    transport.close();
  }
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

function outcomeOf(thrown: unknown): MailOutcome {
  const error = thrown as SmtpError;
  const text = error.message.replaceAll('\0', '\uFFFD').slice(0, 500);
  const code = error.responseCode ?? 0;
  // Sender, credentials and reachability are the operator's configuration; once corrected,
  // everything is sent.
  const aboutMessage =
    error.code === 'EMESSAGE' || (error.code === 'EENVELOPE' && !error.command?.startsWith('MAIL'));
  if (!aboutMessage || code === 421) return { type: 'down', error: text };
  return { type: code >= 500 ? 'refused' : 'later', error: text };
}
