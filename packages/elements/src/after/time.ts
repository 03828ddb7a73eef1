import { isServer } from 'lit';
import { msg, pickLocale, str } from '../locale.ts';
import { takesOver } from '../takeover.ts';

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
export const clock = (time: number, language: string): string => toTheMinute(time, language, {});

/**
 * A moment with its time zone, as a proof needs it.
 * @returns the text as it came when it is no time.
 */
export function moment(timestamp: string, language: string): string {
  const time = Date.parse(timestamp);
  return time ? format(time, language, { dateStyle: 'medium', timeStyle: 'long' }) : timestamp;
}

/**
 * A moment as people tell it: to the minute, in the reader's own zone.
 * @returns the text as it came when it is no time.
 */
export function shortMoment(timestamp: string, language: string): string {
  const time = Date.parse(timestamp);
  return time ? toTheMinute(time, language, { dateStyle: 'medium' }) : timestamp;
}

/** About as long in either form, so that hardly a line breaks elsewhere when the one takes the other's place. */
const toTheMinute = (time: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  format(time, language, { ...options, timeStyle: 'short' }) + (inUtc() ? ' UTC' : '');

/** A server does not know the reader's zone, and says every time in UTC; so does a browser until it has taken over. */
const inUtc = (): boolean => isServer || takesOver();

const format = (time: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  (inUtc()
    ? new Intl.DateTimeFormat(`${language}-u-nu-latn`, { ...options, timeZone: 'UTC' })
    : new Intl.DateTimeFormat(ownForm(language), options)
  ).format(time);

/** The language as the reader's own country writes times: 14:35 for who reads British English, 2:35 PM for an American. */
function ownForm(language: string): Intl.Locale {
  const own = navigator.languages.find((tag) => pickLocale(tag) === language && tag.split('-')[0] === language.split('-')[0]);
  try {
    return new Intl.Locale(own ?? language, { numberingSystem: 'latn' });
  } catch {
    // Some browsers name a language that is none.
    return new Intl.Locale(language, { numberingSystem: 'latn' });
  }
}

/** Seconds left at which the time is spoken; the clock itself is silent. */
const SPOKEN = [300, 60, 30];

/** The time left in words, at a few moments. */
export function timeLeft(before: number, seconds: number, language: string): string {
  return seconds && SPOKEN.some((second) => seconds <= second && second < before) ? wordsOfLeft(seconds, language) : '';
}

/** The time left in words. */
export function wordsOfLeft(seconds: number, language: string): string {
  const time = duration(seconds, language);
  return msg(str`Time left: ${time}`, { id: 'countdown.said' });
}
