import { isServer } from 'lit';
import { msg, pickLocale, str, textsOf } from './locale.ts';
import { isHydrating } from './hydration.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Formats a duration in words, with the language's plural: "10 minutes". */
export function formatDuration(seconds: number, language: string): string {
  const [value, unit]: [number, string] =
    seconds < MINUTE
      ? [seconds, 'second']
      : seconds < 2 * HOUR
        ? [seconds / MINUTE, 'minute']
        : [seconds / HOUR, 'hour'];
  return (
    ONE_IN_WORDS[`${textsOf(language)} ${value.toFixed(0)} ${unit}`] ??
    new Intl.NumberFormat(`${language}-u-nu-latn`, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      maximumFractionDigits: 0,
    }).format(value)
  );
}

/** Durations that `Intl` writes with a digit, against the language. */
const ONE_IN_WORDS: Readonly<Record<string, string>> = {
  'he 1 second': 'שנייה אחת',
  'he 1 minute': 'דקה אחת',
  'he 1 hour': 'שעה אחת',
};

/** Formats a time of day. */
export const formatTime = (time: number, language: string): string =>
  toTheMinute(time, language, {});

/**
 * Formats a timestamp with its time zone, for receipts.
 * @returns the input if it is not a timestamp
 */
export function formatTimestamp(timestamp: string, language: string): string {
  const time = Date.parse(timestamp);
  return time ? format(time, language, { dateStyle: 'medium', timeStyle: 'long' }) : timestamp;
}

/**
 * Formats a timestamp to the minute, in the reader's time zone.
 * @returns the input if it is not a timestamp
 */
export function formatShortTimestamp(timestamp: string, language: string): string {
  const time = Date.parse(timestamp);
  return time ? toTheMinute(time, language, { dateStyle: 'medium' }) : timestamp;
}

/**
 * Both forms are about equally long, so that hardly any line breaks differently after hydration.
 */
const toTheMinute = (time: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  format(time, language, { ...options, timeStyle: 'short' }) + (inUtc() ? ' UTC' : '');

/**
 * A server cannot determine the reader's time zone and uses UTC; so does a browser during
 * hydration.
 */
const inUtc = (): boolean => isServer || isHydrating();

const format = (time: number, language: string, options: Intl.DateTimeFormatOptions): string =>
  (inUtc()
    ? new Intl.DateTimeFormat(`${language}-u-nu-latn`, { ...options, timeZone: 'UTC' })
    : new Intl.DateTimeFormat(ownForm(language), options)
  ).format(time);

/**
 * The reader's regional variant of a language without a region: 14:35 in British English, 2:35 PM
 * in American English.
 */
function ownForm(language: string): Intl.Locale {
  const own = navigator.languages.find(
    (tag) => textsOf(pickLocale(tag)) === language && tag.split('-')[0] === language.split('-')[0],
  );
  try {
    return new Intl.Locale(own ?? language, { numberingSystem: 'latn' });
  } catch {
    // Some browsers report an invalid language tag.
    return new Intl.Locale(language, { numberingSystem: 'latn' });
  }
}

/** Remaining seconds that are announced; the clock itself is silent. */
const SPOKEN = [300, 60, 30];

/** The announcement of the time left; empty except at a few moments. */
export function timeLeft(before: number, seconds: number, language: string): string {
  return seconds && SPOKEN.some((second) => seconds <= second && second < before)
    ? timeLeftText(seconds, language)
    : '';
}

/** The time left in words. */
export function timeLeftText(seconds: number, language: string): string {
  const time = formatDuration(seconds, language);
  return msg(str`Time left: ${time}`, { id: 'countdown.said' });
}
