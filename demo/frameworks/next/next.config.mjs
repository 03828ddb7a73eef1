import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
const config = {
  distDir: 'dist',
  turbopack: { root: fileURLToPath(new URL('.', import.meta.url)) },
};

// The framework wants it so.
export { config as default };
