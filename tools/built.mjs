// Rebuilds `dist/` when a source changed, for tests of the built files.
import { ensureBuilt } from './setup.mjs';

ensureBuilt();
