// Collects garbage when asked, so that what is measured is what is held.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
});
