import './shop.css';
import { watchOrder } from './order-status.ts';
import { startWallet } from './wallet-panel.ts';

/** The script of the demo shop's pages: the order's state, and the test wallet. The checkout brings its own. */
watchOrder();
startWallet();
