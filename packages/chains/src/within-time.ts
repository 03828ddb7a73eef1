/**
 * Returns the result of the work or, once `timeoutMs` have passed, that of `onTimeout`, which may
 * throw. The work goes on; its result is then ignored.
 */
export async function withinTime<T>(
  work: () => Promise<T>,
  timeoutMs: number,
  onTimeout: () => T,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  }).then(onTimeout);
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
