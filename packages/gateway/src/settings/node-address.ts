/**
 * Names of this machine, as `URL` writes them. A name below `localhost` is none: a proxy may choose
 * the node by it.
 */
const THIS_MACHINE: ReadonlySet<string> = new Set([
  '127.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  'localhost',
  'localhost.',
]);

/** The address that a node is reached at: without a fragment, with one name for this machine. */
export function nodeAddress(url: string): URL {
  const address = new URL(url);
  address.hash = '';
  if (THIS_MACHINE.has(address.hostname)) address.hostname = '127.0.0.1';
  return address;
}
