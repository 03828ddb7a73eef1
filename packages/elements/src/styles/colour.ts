/** Red, green, blue and opacity, each from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, opacity: number];

export const BLACK: Colour = [0, 0, 0, 1];
export const WHITE: Colour = [1, 1, 1, 1];
/** Contrast for text and for large text (WCAG 2.2, 1.4.3). */
export const READABLE = 4.5;
export const READABLE_LARGE = 3;

/** Parses a computed colour: `rgb(…)`, or `color(srgb …)` for a mixed one. */
export function readColour(text: string): Colour | null {
  const [, form, values] = /^(rgba?|color\(srgb)[ (](.+?)\)/.exec(text) ?? [];
  if (!values) return null;
  const [red = 0, green = 0, blue = 0, opacity = 1] = values
    .split(/[\s,/]+/)
    .map((value) => Number(value) || 0);
  const scale = form!.startsWith('rgb') ? 255 : 1;
  return [red / scale, green / scale, blue / scale, opacity];
}

/** Mixes two colours in sRGB, as the style sheet does. */
export const mix = (colour: Colour, share: number, other: Colour): Colour => [
  colour[0] * share + other[0] * (1 - share),
  colour[1] * share + other[1] * (1 - share),
  colour[2] * share + other[2] * (1 - share),
  colour[3] * share + other[3] * (1 - share),
];

/** Composites a colour over another one. */
export const over = (front: Colour, behind: Colour): Colour => {
  const [red, green, blue] = mix([front[0], front[1], front[2], 1], front[3], behind);
  return [red, green, blue, front[3] + behind[3] * (1 - front[3])];
};

const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ([red, green, blue]: Colour): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/** Contrast ratio against an opaque colour, from 1 to 21. */
export function contrast(colour: Colour, behind: Colour): number {
  const [light, dark] = [luminance(over(colour, behind)), luminance(behind)].toSorted(
    (a, b) => b - a,
  ) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever has more contrast. */
export const plainOn = (behind: Colour): Colour =>
  contrast(BLACK, behind) > contrast(WHITE, behind) ? BLACK : WHITE;

/** Steps of each half of the range. */
const STEPS = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0];

/**
 * Shades of a colour, from itself to black or white. The hue is kept: first red, green and blue
 * shift by the same amount, then the rest is mixed.
 */
export function shadesOf(colour: Colour, towards: Colour): Colour[] {
  const rgb = colour.slice(0, 3);
  const shift = towards === BLACK ? -Math.min(...rgb) : 1 - Math.max(...rgb);
  const full: Colour = [colour[0] + shift, colour[1] + shift, colour[2] + shift, 1];
  return [
    ...STEPS.map((share) => mix(colour, share, full)),
    ...STEPS.slice(1).map((share) => mix(full, share, towards)),
  ];
}

export const cssOf = ([red, green, blue]: Colour): string =>
  `rgb(${[red, green, blue].map((value) => Math.round(value * 255)).join(' ')})`;
