import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// Firefox reports its fonts as ready only after every request, so a held-back request would block a
// screenshot.
process.env['PW_TEST_SCREENSHOT_NO_FONTS_READY'] = '1';
const chromium =
  process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

/** Specs that `npm test` leaves out today (tools/sampled-files.mjs). */
const leftOut = process.env['LEAVE_OUT_SPECS']?.split(',').map((file) => `**/${file}`) ?? [];

export default defineConfig({
  testDir: './tests',
  outputDir: '../test-results/e2e',
  fullyParallel: false,
  workers: 2,
  forbidOnly: true,
  // Browsers on a busy machine sometimes time out; tests that pass only at the second try are
  // printed (tools/test.mjs).
  retries: 1,
  // Enough on a machine of half the speed, with the other steps of `npm test` beside it.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  // A trace of every test would cost a third of the time; only a second try records one.
  use: { trace: 'on-first-retry' },
  projects: [
    // Without a browser: the interface for programs.
    { name: 'api', testMatch: /\.api\.ts$/, testIgnore: leftOut },
    {
      name: 'chromium',
      testMatch: /\.spec\.ts$/,
      testIgnore: [/webkit.*\.spec/, ...leftOut],
      use: {
        browserName: 'chromium',
        permissions: ['local-network-access', 'clipboard-read', 'clipboard-write'],
        launchOptions: { ...(chromium ? { executablePath: chromium } : {}), args },
      },
    },
    // Debian's Firefox over WebDriver BiDi: these files, and the most telling flow of others.
    {
      name: 'firefox',
      testMatch: /\.spec\.ts$/,
      testIgnore: [/webkit.*\.spec/, ...leftOut],
      grep: [/ (buy|qr-codes|events|hosted|policy|tampering)\.spec\.ts /, /@firefox/],
      use: {
        browserName: 'firefox',
        channel: 'moz-firefox',
        launchOptions: { executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr' },
      },
    },
    // Debian's WebKitGTK over classic WebDriver, inside a plain test.
    { name: 'webkit', testMatch: /webkit.*\.spec\.ts$/, testIgnore: leftOut },
  ],
});
