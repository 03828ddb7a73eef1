import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
const config = {
  distDir: 'dist',
  turbopack: { root: fileURLToPath(new URL('.', import.meta.url)) },
};

// Required by the framework.
export { config as default };
