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
// Firefox has its fonts ready only when all else has come: what a slow line still holds back would keep a screenshot waiting, too.
process.env['PW_TEST_SCREENSHOT_NO_FONTS_READY'] = '1';
const chromium = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/e2e',
  fullyParallel: false,
  workers: 2,
  forbidOnly: true,
  // A real browser on a busy machine now and then misses a beat; what passes only at the second try is said (.ci/test.mjs).
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  // A trace of every test would cost a third of the time; the second try leaves one.
  use: { trace: 'on-first-retry' },
  projects: [
    // No browser: the interface as a program sees it.
    { name: 'api', testMatch: /\.api\.ts$/ },
    {
      name: 'chromium',
      testMatch: /\.spec\.ts$/,
      testIgnore: /webkit.*\.spec/,
      use: {
        browserName: 'chromium',
        permissions: ['local-network-access', 'clipboard-read', 'clipboard-write'],
        launchOptions: { ...(chromium ? { executablePath: chromium } : {}), args },
      },
    },
    // Debian's own Firefox over WebDriver BiDi: these files, and of others the flow that tells most.
    {
      name: 'firefox',
      testMatch: /\.spec\.ts$/,
      testIgnore: /webkit.*\.spec/,
      grep: [/ (buy|codes|events|hosted|policy|tampered)\.spec\.ts /, /@firefox/],
      use: {
        browserName: 'firefox',
        channel: 'moz-firefox',
        launchOptions: { executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr' },
      },
    },
    // Debian's WebKitGTK over classic WebDriver, inside a plain test.
    { name: 'webkit', testMatch: /webkit.*\.spec\.ts$/ },
  ],
});
