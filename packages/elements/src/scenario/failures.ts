import { CHOOSE, PAY, SEEN } from './paying.ts';
import type { Scene, Step } from './scene.ts';

const failing = (fault: NonNullable<Step['fault']>): Step => ({ stage: 'pay', fault });

/** Failures of the connection and the server. */
export const FAILURES = {
  offline: {
    about: 'The connection is lost, and comes back',
    steps: [PAY, { ...PAY, fault: 'offline', until: 8 }, SEEN],
  },
  slow: { about: 'The server takes its time', steps: [{ ...failing('slow'), until: 6 }, PAY] },
  refused: {
    about: 'The server does not accept the choice',
    steps: [{ ...CHOOSE, refuses: 'refused' }],
  },
  'error-setup': { about: 'The shop made a mistake', steps: [failing('setup')] },
  'error-network': {
    about: 'The server cannot be reached at first',
    steps: [failing('network'), failing('network'), PAY],
  },
  'error-unavailable': {
    about: 'The server is busy at first',
    steps: [failing('unavailable'), failing('unavailable'), PAY],
  },
  'error-not-found': { about: 'There is no such payment', steps: [failing('not_found')] },
  'error-malformed': { about: 'The server answers nonsense', steps: [failing('malformed')] },
} satisfies Record<string, Scene>;
