// `npm start`: installs and builds when due, then starts gateway (sandbox chains), BFF with the hosted page, and the demo shop.
import { ensureBuilt, ensureInstalled, requireNode } from './setup.mjs';

try {
  requireNode();
  ensureInstalled();
  ensureBuilt();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await import('../dist/server/start.mjs');
