#!/usr/bin/env node
// The operator's command line of an installed package; inside the repository use `npm run gateway`.
import '../dist/cli/main.js';
