export { createContext } from './compose.ts';
export { type Config, ConfigError, loadConfig, SETTINGS, type Setting } from './config.ts';
export type { Clock, Context, Ids } from './context.ts';
export { createApp } from './http/app.ts';
export { startWorker, type Worker } from './worker/worker.ts';
