import { isServer } from 'lit';
import { msg, str } from '../locale.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A length of time in words, with the language's own plural: "10 minutes". */
export function duration(seconds: number, language: string): string {
  const [value, unit] =
    seconds < MINUTE ? [seconds, 'second'] : seconds < 2 * HOUR ? [seconds / MINUTE, 'minute'] : [seconds / HOUR, 'hour'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(
    value,
  );
}

/** A time of the day. */
export const clock = (time: number, language: string): string => format(time, language, { timeStyle: isServer ? 'long' : 'short' });

/**
 * A moment with its time zone, as a proof needs it.
 * @returns the text as it came when it is no time.
 */
export function moment(timestamp: string, language: string): string {
  const time = Date.parse(timestamp);
  return time ? format(time, language, { dateStyle: 'medium', timeStyle: 'long' }) : timestamp;
}

/** A server does not know the reader's zone, and says every time in UTC. */
const format = (time: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, { ...options, ...(isServer ? { timeZone: 'UTC' } : {}) }).format(time);

/** Seconds left at which the time is spoken; the clock itself is silent. */
const SPOKEN = [300, 60, 30];

/** The time left in words, at a few moments. */
export function timeLeft(before: number, seconds: number, language: string): string {
  if (!seconds || !SPOKEN.some((second) => seconds <= second && second < before)) return '';
  const time = duration(seconds, language);
  return msg(str`Time left: ${time}`, { id: 'countdown.said' });
}
