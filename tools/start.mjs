// `npm start`: installs and builds when needed, then starts gateway, BFF with the
// hosted page, and the demo shop.
import { ensureBuilt, ensureInstalled, prepare, requireNode } from './setup.mjs';

prepare(requireNode, ensureInstalled, ensureBuilt);
await import('../dist/server/start.mjs');
