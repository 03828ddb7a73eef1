import { z } from 'zod';
import { orNull } from './amount.ts';
import { EXAMPLES } from './common-fields.ts';
import { codeList } from './text.ts';

const RESEND_STATUSES = ['success', 'error', 'pending'];
const RESEND_ERRORS = ['no_profile_or_callback_url', 'callback_failed', 'exception_occurred'];

/** The members that the answers of both resend endpoints share. */
export const resendResult = {
  status: z.string().meta({
    description: `One of ${codeList(RESEND_STATUSES)}; \`pending\` when there is no callback to send.`,
    examples: ['success'],
  }),
  message: z.string().meta({
    description: 'The status as a sentence.',
    examples: ['The receiver took the callback.'],
  }),
  error: z
    .string()
    .nullish()
    .meta({
      description: `Cause, only when the status is \`error\`: one of ${codeList(RESEND_ERRORS)}.`,
      examples: [null],
    }),
};

/** Answer of the callback receiver. */
export const receiverResponse = orNull(
  z.object({
    status_code: orNull(z.int()).meta({
      description: 'Status code; null without an answer.',
      examples: [200],
    }),
    url: z.string().meta({
      description: 'Address that the callback was sent to.',
      examples: [EXAMPLES.callbackUrl],
    }),
  }),
).meta({ description: 'Answer of the receiver; null when nothing was sent.' });
