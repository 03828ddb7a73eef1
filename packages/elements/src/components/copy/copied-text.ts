import { msg, str } from '../../i18n/locale.ts';
import { END } from '../address/address.ts';

/** Announcement after copying; for long values with both ends to compare. */
export const copied = (label: string, value: string): string =>
  value.length > 2 * END
    ? msg(
        str`Copied: ${label}. It begins with ${value.slice(0, END)} and ends with ${value.slice(-END)}. Compare after pasting.`,
        {
          id: 'address.said',
        },
      )
    : msg(str`Copied: ${label}`, { id: 'copy.said' });
