// The files that start the servers of dist/server/. Only the oldest syntax: an old Node must get as
// far as the sentence.

const REQUIRED = 'Crypto Checkout needs Node 20.19, or 22.12 or newer';

/**
 * @param {string} program file beside the entry file; an old Node could not parse it
 * @returns {string} the text of the entry file
 */
export const serverEntry = (program) => `#!/usr/bin/env node
var version = process.versions.node;
var numbers = version.split('.').map(Number);
var major = numbers[0];
var minor = numbers[1];
if (major < 22 ? major !== 20 || minor < 19 : major === 22 && minor < 12) {
  console.error('Node ' + version + ' is too old: ${REQUIRED}.');
  process.exitCode = 1;
} else {
  import('./${program}');
}
`;
