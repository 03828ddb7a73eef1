/** During hydration: whether the browser would draw something else; null outside of it. */
let requested: boolean | null = null;

/** Whether server-drawn markup is being hydrated. The first draw must then match the server's. */
export const isHydrating = (): boolean => requested !== null && (requested = true);

/**
 * Runs the first draw over server-drawn markup.
 * @returns whether to draw once more, because the browser can do better than the server
 */
export function drawHydrating(draw: () => void): boolean {
  requested = false;
  try {
    draw();
    return requested;
  } finally {
    requested = null;
  }
}
