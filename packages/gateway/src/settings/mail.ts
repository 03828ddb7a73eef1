import { optional, optionalSmtpUrl, setting } from '@crypto-checkout/protocol/schema/setting';
import { addressOfSender } from '../notice/address.ts';

/** Settings of e-mail notices, for the table of all settings. */
export const MAIL_SETTINGS = {
  SMTP_URL: setting(
    '',
    optionalSmtpUrl,
    'Server for e-mail notices, such as smtp://user:password@host:587 or smtps://host. Without it, none are sent.',
  ),
  SMTP_FROM: setting(
    '',
    optional.refine(
      (value) => value === null || addressOfSender(value) !== null,
      'must be an e-mail address, with or without a name',
    ),
    'Sender of e-mail notices, with or without a name; by default no-reply at the host of PUBLIC_URL.',
  ),
};
