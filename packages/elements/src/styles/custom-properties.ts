/** The CSS property that each custom property sets. */
const PROPERTY: Readonly<Record<string, string>> = {
  accent: 'color',
  background: 'color',
  text: 'color',
  success: 'color',
  warning: 'color',
  danger: 'color',
  radius: 'border-radius',
  font: 'font',
  'font-mono': 'font-family',
  'qr-size': 'inline-size',
};
export const PREFIX = '--crypto-checkout-';

/** The custom properties, which are also passed into a frame. */
export const TOKENS: readonly string[] = Object.keys(PROPERTY).map((name) => PREFIX + name);

/** The CSS property that a custom property sets. */
export const propertyOf = (name: string): string => PROPERTY[name.slice(PREFIX.length)]!;

/** Whether a value is valid for its property. */
export const isValue = (name: string, value: string): boolean =>
  CSS.supports(propertyOf(name), value);

/** Whether a value is safe to pass into a frame: no URL, no second declaration. */
export const isToken = (name: string, value: string): boolean =>
  value.length <= 200 &&
  /^[#\w\s.,%()/+*"'-]+$/.test(value) &&
  !/url|var|env|attr|image/i.test(value) &&
  isValue(name, value);
