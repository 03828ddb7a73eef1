import type { QrModules } from '@crypto-checkout/protocol/qr';

/** Width of the quiet zone in modules (ISO 18004). */
const QUIET = 4;
/** Two stacked modules as one character, by which of them are dark. */
const HALVES = [' ', '▀', '▄', '█'];
/** Black on white from the fixed colours: a terminal's theme may change the first sixteen. */
const INK = '\u001b[38;5;16;48;5;231m';
const END = '\u001b[0m';

/**
 * Renders a code in half blocks with its quiet zone.
 * @param colours - With colour codes it is black on white in every terminal. Without them dark
 * modules are printed characters: right on paper, in editors and in light terminals.
 */
export function terminalQr({ size, isDark }: QrModules, colours: boolean): string {
  const dark = (x: number, y: number): number =>
    x >= 0 && y >= 0 && x < size && y < size && isDark(x, y) ? 1 : 0;
  const lines: string[] = [];
  for (let y = -QUIET; y < size + QUIET; y += 2) {
    let line = '';
    for (let x = -QUIET; x < size + QUIET; x += 1) line += HALVES[dark(x, y) + 2 * dark(x, y + 1)];
    lines.push(colours ? `${INK}${line}${END}` : line.trimEnd());
  }
  return lines.join('\n');
}
