#!/usr/bin/env node
// The signer of an installed package, which holds the private keys apart from the service.
import '../dist/signer/main.js';
