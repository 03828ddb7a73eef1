import { expect, it } from 'vitest';
import { createBakery } from '../../../chains/test/support/lightning/macaroon.ts';
import { checkNodes } from '../check/nodes.ts';
import { loadConfig } from '../config.ts';
import { createLightningChain } from './lightning-chain.ts';
import { NO_NODE } from './same-lightning-node.ts';

/** Of a form that this program does not read; the node alone can check it. */
const OTHER_FORM = '01'.repeat(40);
const receiving = createBakery().bake([
  'info:read',
  'invoices:read',
  'invoices:write',
  'offchain:read',
]);
const sending = createBakery().bake(['offchain:read', 'offchain:write']);

const RECEIVES =
  'LND_MACAROON is not checked: its permissions cannot be read, so it may be able to spend; bake one that only receives: lncli bakemacaroon info:read invoices:read invoices:write offchain:read';
const PAYS =
  'LND_SEND_MACAROON is not checked: its permissions cannot be read, so it may be unable to pay, or allow more; bake it again: lncli bakemacaroon offchain:read offchain:write';

it.each([
  ['can be read', receiving, sending, []],
  ['cannot be read', OTHER_FORM, OTHER_FORM, [RECEIVES, PAYS]],
  ['can be read of the sending one alone', OTHER_FORM, sending, [RECEIVES]],
])(
  'macaroons whose permissions %s: the start and `check` say which are not checked',
  async (_, macaroon, sendMacaroon, sentences) => {
    const config = loadConfig({
      LND_URL: 'https://127.0.0.1:1',
      LND_MACAROON: macaroon,
      LND_SEND_MACAROON: sendMacaroon,
    });
    const logged: unknown[] = [];
    createLightningChain({
      node: config.lightning!,
      keysMode: 'local',
      signer: null,
      known: async () => NO_NODE,
      readSource: async () => null,
      log: { warn: (fields: object, text?: string) => void logged.push({ ...fields, text }) },
    });
    expect(logged).toEqual(sentences.map((text) => ({ event: 'macaroon_not_checked', text })));
    const findings = await checkNodes(config, null);
    expect(findings.filter(({ result }) => result === 'warning')).toEqual(
      sentences.map((says) => ({ about: 'LND_URL', result: 'warning', says })),
    );
  },
);
