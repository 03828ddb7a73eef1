/** Whether somebody has asked, while a browser takes over what a server has drawn; null while none does. */
let asked: boolean | null = null;

/**
 * Whether a browser is about to take over what a server has drawn. Then it draws what the server has, also where it knows better: what is
 * drawn otherwise would be taken for what is on the screen.
 */
export const takesOver = (): boolean => asked !== null && (asked = true);

/**
 * Draws for the first time over what a server has drawn.
 * @returns whether the browser knows something better, and is to draw once more.
 */
export function takeOver(draw: () => void): boolean {
  asked = false;
  try {
    draw();
    return asked;
  } finally {
    asked = null;
  }
}
