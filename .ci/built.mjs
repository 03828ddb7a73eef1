// What tests run as it is run for real: `dist/`, built when a source changed.
import { ensureBuilt } from './setup.mjs';

ensureBuilt();
