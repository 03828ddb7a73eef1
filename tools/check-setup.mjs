// `node check-setup.mjs [chromium]`: one sentence where Node is too old, or a Chromium is needed
// and missing. npm runs it before the tests of a package.
import { prepare, requireChromium, requireNode } from './setup.mjs';

prepare(requireNode, ...(process.argv.includes('chromium') ? [requireChromium] : []));
