import { createTransport } from 'nodemailer';
import type { Mailer } from '../options.ts';

const CONNECT_MS = 10_000;
const SOCKET_MS = 20_000;

/** Sends receipts over SMTP. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
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
      await transport.verify();
    } catch (error) {
      return { type: 'unreachable', code: codeOf(error) };
    }
    try {
      await transport.sendMail({
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
      return { type: 'sent' };
    } catch (error) {
      return { type: 'failed', code: codeOf(error) };
    }
  };
}

/** The message of the error may hold the address, so only its code is kept. */
function codeOf(error: unknown): string {
  const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
  return responseCode === undefined ? code : `${code} ${responseCode}`;
}
