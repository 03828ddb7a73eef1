// Collects garbage on a signal, so that only retained memory is measured.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
});
