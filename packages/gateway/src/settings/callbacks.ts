import { integer, setting } from '@crypto-checkout/protocol/schema/setting';

/** Settings of callbacks, for the table of all settings. */
export const CALLBACK_SETTINGS = {
  CALLBACK_RETENTION_DAYS: setting(
    '90',
    integer(0, 36_500).transform((days) => (days === 0 ? null : days)),
    'Days after its end until the body and the deliveries of a callback are removed; 0 keeps them.',
  ),
};
