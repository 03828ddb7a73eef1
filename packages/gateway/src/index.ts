export { createContext } from './compose.ts';
export type { Setting } from '@crypto-checkout/protocol/schema/setting';
export { type Config, ConfigError, loadConfig, SETTINGS } from './config.ts';
export type { Clock, Context, Ids } from './context.ts';
export { createApp } from './app.ts';
export { startWorker, type Worker } from './worker/worker.ts';
