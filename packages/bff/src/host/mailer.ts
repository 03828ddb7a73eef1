import { createTransport } from 'nodemailer';
import type { Mailer } from '../options.ts';
import { waitAtMost } from '../wait-at-most.ts';

const CONNECT_MS = 10_000;
const SOCKET_MS = 20_000;
/** A server that answers slowly, line by line, resets the other limits. */
const DEADLINE_MS = 45_000;

export interface MailerOptions {
  smtpUrl: string;
  from: string;
  /** Limit of each of the two parts: signing in, and sending. Default: 45 seconds. */
  deadlineMs?: number;
}

/** Sends receipts over SMTP. */
export function createMailer({ smtpUrl, from, deadlineMs = DEADLINE_MS }: MailerOptions): Mailer {
  const transport = createTransport(
    {
      url: smtpUrl,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SOCKET_MS,
    },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  return async ({ to, subject, text, file, language }) => {
    try {
      // Signs in and leaves: a failure here is certain to have sent nothing.
      await within(deadlineMs, transport.verify());
    } catch (error) {
      return { type: 'unreachable', code: codeOf(error) };
    }
    try {
      const sending = transport.sendMail({
        from,
        // Passed as an object it is one address, whatever it contains.
        to: { name: '', address: to },
        subject,
        text,
        attachments: [{ filename: file.name, content: file.content, contentType: file.type }],
        // Prevents out-of-office replies.
        headers: {
          'Content-Language': language,
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
        },
      });
      await within(deadlineMs, sending);
      return { type: 'sent' };
    } catch (error) {
      return { type: 'failed', code: codeOf(error) };
    }
  };
}

/** Gives up waiting: what the server does after that is unknown. */
async function within(deadlineMs: number, work: Promise<unknown>): Promise<void> {
  let failure: unknown = Object.assign(new Error('the mail server is too slow'), {
    code: 'ETIMEDOUT',
  });
  const ended = work.then(
    () => (failure = null),
    (error: unknown) => (failure = error),
  );
  await waitAtMost(deadlineMs, ended);
  if (failure !== null) throw failure;
}

/** The message of the error may hold the address, so only its code is kept. */
function codeOf(error: unknown): string {
  const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
  return responseCode === undefined ? code : `${code} ${responseCode}`;
}
