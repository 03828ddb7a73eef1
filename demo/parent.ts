/** Time between two looks at the parent process. */
const LOOK_MS = 1000;

/**
 * Ends with the process that started this one: npm passes no signal on when it is stopped itself,
 * and the servers would go on unseen.
 * @param ppid id of the parent, which changes when it ends
 */
export function endWithParent(
  end: () => void,
  ppid: () => number = () => process.ppid,
): NodeJS.Timeout {
  const parent = ppid();
  const timer = setInterval(() => {
    if (ppid() === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  return timer.unref();
}
