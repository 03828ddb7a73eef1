import { msg, str } from '../i18n/locale.ts';

export const payWith = (name: string): string => msg(str`Pay with ${name}`, { id: 'wallet.with' });
