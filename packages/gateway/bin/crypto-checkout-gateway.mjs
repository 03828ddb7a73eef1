#!/usr/bin/env node
// The operator's command line, as `npx crypto-checkout-gateway` finds it.
import '../../../.ci/gateway.mjs';
