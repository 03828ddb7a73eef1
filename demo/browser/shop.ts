import './shop.css';
import { watchOrder } from './order-status.ts';
import { startWallet } from './wallet-panel.ts';

/**
 * The script of the demo shop's pages: the order's state, the test wallet, the scenarios. The
 * checkout brings its own.
 */
watchOrder();
startWallet();
const scenario = document.querySelector<HTMLFormElement>('#scenario');
if (scenario) void import('./scenarios.ts').then(({ startScenarios }) => startScenarios(scenario));
