import type { NodeProgram } from '../lnd/setup.ts';
import { CREATE_RECEIVING } from './rune.ts';

export const CLN: NodeProgram = {
  id: 'cln',
  name: 'Core Lightning',
  // The first version with xpay.
  minVersion: [24, 11],
  credential: `make one on this node: ${CREATE_RECEIVING}`,
  expired: 'delete server.pem of clnrest, restart the node, and copy the new one',
  otherCertificate: "set CLN_CERT to a copy of clnrest's present server.pem",
};
