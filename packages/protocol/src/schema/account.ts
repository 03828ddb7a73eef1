import { z } from 'zod';
import { parseAmount } from '../amount/amount.ts';
import { amountInput, decimalText, orNull } from './fields/amount.ts';
import { MAX_NAME } from './api-key.ts';
import { EXAMPLES, id } from './fields/common-fields.ts';
import { line } from './fields/text.ts';

/** Answer of `GET /v1/account/settings/`. */
export const accountSettings = z
  .object({
    id,
    name: z.string().meta({ description: 'Display name.', examples: ['Shop'] }),
    is_testnet: z
      .boolean()
      .meta({ description: 'True for an account on test networks.', examples: [true] }),
    url: orNull(z.string()).meta({ description: 'Website of the account.', examples: [null] }),
  })
  .meta({ description: 'The account of the key.' });
export type AccountSettings = z.infer<typeof accountSettings>;

const INTEGRATOR_DATA =
  'Data for the programs of the integrator: stored and returned, without effect in this service.';
const CAN_ADD_EXCHANGE = `True when the account can have its own exchanges. ${INTEGRATOR_DATA}`;
const SHOW_INTERNAL_TX = `True when the account sees transactions between accounts. ${INTEGRATOR_DATA}`;
const WHITELABEL_FEE =
  'Fee as a fraction from 0 to 1: 0.1 is 10 %. Data for the bills of the integrator: this service does not charge it.';

/** A sub account, as the API shows it. */
export const subAccount = z
  .object({
    id,
    name: z.string().meta({ description: 'Display name.', examples: ['Branch'] }),
    slug: z.string().meta({ description: 'Name for use in URLs.', examples: ['branch'] }),
    is_testnet: z
      .boolean()
      .meta({ description: 'True for an account on test networks.', examples: [true] }),
    can_add_exchange: z.boolean().meta({ description: CAN_ADD_EXCHANGE, examples: [false] }),
    show_internal_tx: z.boolean().meta({ description: SHOW_INTERNAL_TX, examples: [false] }),
    whitelabel_fee: orNull(decimalText).meta({ description: WHITELABEL_FEE, examples: ['0.1'] }),
    profiles: z.array(z.string()).meta({
      description: 'Ids of the profiles of the account.',
      examples: [[EXAMPLES.profileId]],
    }),
    callback_token: z.string().meta({
      description:
        'Key of the callback signatures; masked with asterisks except for integrator keys.',
      examples: ['************'],
    }),
    url: orNull(z.string()).meta({ description: 'Website of the account.', examples: [null] }),
  })
  .meta({ description: 'An account of a customer of an integrator.' });
export type SubAccount = z.infer<typeof subAccount>;

const editable = {
  name: line(MAX_NAME).meta({ description: 'Display name.', examples: ['Branch'] }),
  can_add_exchange: z
    .boolean()
    .optional()
    .meta({ description: `${CAN_ADD_EXCHANGE} Default false.`, examples: [false] }),
  show_internal_tx: z
    .boolean()
    .optional()
    .meta({ description: `${SHOW_INTERNAL_TX} Default false.`, examples: [false] }),
  whitelabel_fee: amountInput
    .refine((fee) => parseAmount(fee) <= parseAmount('1'), 'must be from 0 to 1, which is 100 %')
    .optional()
    .meta({ description: `${WHITELABEL_FEE} Default 0.`, examples: ['0.1'] }),
};

/** Payload of `POST /v1/accounts/`. */
export const createSubAccount = z.object(editable).meta({ description: 'A new sub account.' });
export type CreateSubAccount = z.input<typeof createSubAccount>;

/** Payload of `PUT /v1/accounts/<ID>/`: an omitted member is not changed. */
export const updateSubAccount = z
  .object({ ...editable, name: editable.name.optional() })
  .meta({ description: 'Changes to a sub account: an omitted member is not changed.' });
export type UpdateSubAccount = z.input<typeof updateSubAccount>;
