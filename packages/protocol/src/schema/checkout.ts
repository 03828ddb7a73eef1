import { z } from 'zod';
import { type Checkout, NOTES, PAYMENT_SOURCES, STAGES } from '../checkout/checkout.ts';
import { amountObject, amountText, decimalText, timestamp } from './fields/amount.ts';
import { openValues } from './fields/text.ts';

const kind = z.string().meta({ description: 'The coin on its chain.', examples: ['BTC'] });
const coinName = z.string().meta({ description: "The coin's name.", examples: ['Bitcoin'] });
const networkName = z.string().meta({ description: "The chain's name.", examples: ['Bitcoin'] });
const symbol = z.string().meta({ description: "The coin's symbol.", examples: ['BTC'] });
const names = { kind, name: coinName, network: networkName, symbol };

const explorer_url = z
  .string()
  .nullable()
  .meta({ description: 'The transaction in a block explorer; null without one.' });
const rate = decimalText
  .nullable()
  .meta({ description: "One coin in the order's currency; null without a price." });
const txid = z.string().meta({ description: 'The transaction id.' });
const tag = z.string().nullable().meta({ description: 'The destination tag (XRP, TON).' });

const coin = z
  .strictObject({
    ...names,
    approx: amountText
      .nullable()
      .meta({ description: 'Approximate price in the coin; null without a rate.' }),
    fee_usd: decimalText.nullable().meta({
      description: 'Usual network fee in US dollars, to two digits; null if unknown.',
      examples: ['0.45'],
    }),
    seconds: z
      .int()
      .nullable()
      .meta({
        description: 'Usual time until the order is paid; 0 for at once, null if unknown.',
        examples: [600],
      }),
    gas: z
      .string()
      .nullable()
      .meta({
        description: 'Symbol of the coin that pays the network fee, if it is another one.',
        examples: ['ETH'],
      }),
  })
  .meta({ description: 'A coin that the buyer can choose.' });

const transaction = z
  .strictObject({
    txid,
    status: z.string().meta({
      description: 'As the service reports it; a reader must accept any string.',
      examples: ['confirmed'],
    }),
    amount: amountText.meta({ description: 'The amount in the coin.' }),
    confirmations: z.int().meta({ description: 'Confirmations until now.' }),
    created_at: timestamp.meta({ description: 'When it was first seen.' }),
    explorer_url,
  })
  .meta({ description: 'A transaction that pays the invoice.' });

const received = transaction
  .extend({
    invoice_id: z.string().meta({ description: 'The invoice that it pays.' }),
    address: z.string().nullable().meta({ description: 'The destination; null over lightning.' }),
    tag,
    ...names,
    rate,
    value: decimalText
      .nullable()
      .meta({ description: "Its value in the order's currency; null when it does not count." }),
    late: z.boolean().meta({ description: 'It arrived after its quote expired.' }),
    overpaid: amountText.nullable().meta({
      description: "The part above the order's amount, when it exceeds the tolerance.",
    }),
    refunded: amountText.optional().meta({
      description: 'The part that was asked back, in the coin; absent without one.',
    }),
    asked: z
      .strictObject({ symbol, network: networkName })
      .optional()
      .meta({ description: 'The coin that was asked for, where another one came; or absent.' }),
  })
  .meta({ description: "A payment to one of the order's invoices, in any coin." });

const proof = z
  .strictObject({
    kid: z.string().meta({ description: 'Id of the key.' }),
    signature: z.string().meta({ description: 'The signature, as base64url.' }),
  })
  .meta({ description: "The service's signature over the payment details." });

const payment = z
  .strictObject({
    invoice_id: z.string().meta({ description: 'The invoice of this coin.' }),
    ...names,
    from: z
      .string()
      .meta({ description: `The source of the money. ${openValues(PAYMENT_SOURCES)}` }),
    address: z.string().nullable().meta({ description: 'Null for lightning.' }),
    tag,
    x_address: z
      .string()
      .nullable()
      .meta({ description: 'XRP: address and tag as one X-address.' }),
    other_address: z.boolean().optional().meta({
      description: 'The coin was shown with another address or tag, which still counts; or absent.',
    }),
    public_address: z
      .string()
      .nullable()
      .meta({ description: 'Liquid: the unconfidential address.' }),
    lightning: z
      .strictObject({
        payment_request: z.string().nullable().meta({ description: 'BOLT11.' }),
        lnurl: z.string().nullable().meta({ description: 'LNURL-pay, in bech32.' }),
      })
      .nullable()
      .meta({ description: 'The lightning request; null on other chains.' }),
    due: amountText
      .nullable()
      .meta({ description: 'The amount of the invoice; null for a reusable address.' }),
    paid: amountText.meta({ description: 'Received so far.' }),
    remaining: amountText
      .nullable()
      .meta({ description: 'Still to pay; null for a reusable address.' }),
    overpaid: amountText
      .nullable()
      .meta({ description: 'The excess over the amount, when it exceeds the tolerance.' }),
    late: amountText
      .nullable()
      .meta({ description: 'Payments after the quote expired, counted or not.' }),
    minimum_withdrawal: amountText.nullable().meta({
      description: 'Usual minimum of exchanges, only when the buyer pays less from one.',
    }),
    rate,
    strings: z
      .strictObject({
        qr: z.string().meta({ description: 'The content of the QR code.' }),
        link: z.string().meta({ description: 'The target of a wallet link.' }),
        address: z.string().meta({ description: 'The address to copy.' }),
        amount: amountText.nullable().meta({ description: 'The amount to copy.' }),
        tag: z.string().nullable().meta({ description: 'The tag to copy.' }),
      })
      .meta({ description: 'The payment as texts.' }),
    qr: z
      .strictObject({
        size: z.int().meta({ description: 'Modules of a side, without the quiet zone.' }),
        path: z.string().meta({ description: 'SVG path data in a square of `size` modules.' }),
      })
      .meta({ description: 'The QR code.' }),
    confirmations: z
      .strictObject({
        have: z.int().meta({ description: 'Confirmations until now.' }),
        need: z.int().meta({ description: 'As many make the order paid.' }),
        final: z.int().meta({ description: 'As many make the order complete.' }),
      })
      .meta({ description: 'Confirmations of the payment.' }),
    usual_seconds: z
      .int()
      .nullable()
      .meta({ description: 'Usual time until the order is paid; null if unknown.' }),
    transactions: z.array(transaction).meta({ description: 'What has paid this invoice.' }),
    quoted_at: timestamp.optional().meta({
      description: 'When the current price began; absent before any money came.',
    }),
    expires_at: timestamp.nullable().meta({ description: 'Until when the price holds.' }),
    renewable: z.boolean().meta({ description: 'Whether `POST …/renew` returns a new quote now.' }),
    extendable: z.boolean().meta({
      description: 'Whether `POST …/renew` with `extend` keeps the price for one more period now.',
    }),
    proof: proof
      .nullable()
      .meta({ description: 'The signature over coin, network, address, tag, amount and order.' }),
    lightning_proof: proof
      .nullable()
      .meta({ description: 'The same for a lightning request beside an address.' }),
    signed_terms: z
      .strictObject({
        order_id: z.string().nullable().meta({ description: "The shop's id." }),
        amount: amountText.meta({ description: 'The requested amount, in `currency`.' }),
        currency: z.string().meta({ description: 'The currency of the order.' }),
        invoiced: amountText.meta({ description: 'The amount in the coin.' }),
        expires_at: timestamp.nullable().meta({ description: 'The end of the quote.' }),
      })
      .nullable()
      .meta({ description: 'The texts that a proof signs, as the invoice has them.' }),
  })
  .meta({ description: 'The payment in the chosen coin. Amounts are in the coin.' });

const refund = z
  .strictObject({
    transaction: z.string().meta({ description: 'Txid of the payment that came in.' }),
    amount: amountText.meta({ description: 'The amount in the coin.' }),
    received: amountText.meta({
      description: 'The amount that arrives after the network fee; an estimate until the approval.',
    }),
    kind,
    address: z.string().meta({ description: "The buyer's address." }),
    tag: tag
      .optional()
      .meta({ description: 'Destination tag of the address (XRP, TON); null without one.' }),
    status: z.string().meta({
      description: 'As the service reports it; a reader must accept any string.',
      examples: ['requested'],
    }),
    txid: z.string().nullable().meta({ description: 'Txid of the refund; null until it is sent.' }),
    explorer_url,
  })
  .meta({ description: 'Money that goes back to the buyer.' });

const refundable = z
  .strictObject({
    transaction: z.string().meta({
      description: 'Names the payment in the request: its txid, or an id if the txid is shared.',
    }),
    cause: z.string().meta({
      description: 'Why it can be asked back; a reader must accept any string.',
      examples: ['overpaid'],
    }),
    ...names,
    amount: amountText.meta({ description: 'The amount in the coin.' }),
    fee: amountText.nullable().meta({
      description:
        'Usual network fee, which the buyer pays, with that of a sweep where one is needed; null if unknown, `0` if the shop pays.',
    }),
    received: amountText.nullable().meta({
      description:
        'The amount that arrives; null while the fee is unknown. Money that the fee would use up is not listed.',
    }),
    ready: z.boolean().meta({ description: 'False until the payment is final.' }),
    tagged: z.boolean().meta({ description: 'The chain has destination tags.' }),
  })
  .meta({ description: 'Money that the buyer can ask back.' });

const merchant = z
  .strictObject({
    name: z.string().meta({ description: "The shop's name." }),
    contact: z.string().nullable().meta({ description: 'An `https:` or `mailto:` link.' }),
    logo: z.string().nullable().meta({ description: "Address of the shop's logo." }),
    legal: z
      .strictObject({
        name: z.string().meta({ description: "The company's name." }),
        address: z.string().nullable().meta({ description: 'In one line.' }),
        country: z
          .string()
          .nullable()
          .meta({ description: 'ISO 3166-1 alpha-2.', examples: ['DE'] }),
        asked: z
          .boolean()
          .meta({ description: 'The order is worth more than 1,000 EUR: an exchange asks.' }),
      })
      .nullable()
      .meta({ description: 'The company that is paid, as exchanges ask for it; null if unnamed.' }),
  })
  .meta({ description: 'The shop.' });

/** The buyer's view. Strict: a member that is not listed here must not reach a buyer. */
export const checkout = z
  .strictObject({
    id: z.string().meta({ description: "The checkout's id." }),
    stage: z.string().meta({
      description: openValues(STAGES),
      examples: ['pay'],
    }),
    notes: z
      .array(z.string())
      .meta({ description: `Each is ${openValues(NOTES).replace('One', 'one')}`, examples: [[]] }),
    version: z.int().meta({ description: 'Increases with every change.' }),
    network: z.string().meta({ description: '`mainnet` or `testnet`.', examples: ['testnet'] }),
    server_time: timestamp.meta({ description: "The service's time." }),
    expires_at: timestamp.nullable().meta({ description: 'When the shown price ends.' }),
    merchant,
    order: z
      .strictObject({
        order_id: z.string().nullable().meta({ description: 'Null without an order.' }),
        description: z.string().nullable().meta({ description: 'One line for the buyer.' }),
        amount: amountObject.strict().nullable().meta({
          description: "The shop's amount and its currency; null for a reusable address.",
        }),
      })
      .meta({ description: 'The order.' }),
    coins: z.array(coin).meta({
      description:
        'The coins to choose from, the most used assets first, their networks by fee and time.',
    }),
    payment: payment
      .nullable()
      .meta({ description: 'The payment in the chosen coin; null until a coin is chosen.' }),
    received: z
      .array(received)
      .meta({ description: 'All received payments of the order, in any coin, oldest first.' }),
    refunds: z
      .array(refund)
      .optional()
      .meta({ description: 'Money that goes back to the buyer; absent without any.' }),
    refundable: z
      .array(refundable)
      .optional()
      .meta({ description: 'Money that the buyer can ask back; absent without any.' }),
    replaceable: z.array(refundable).optional().meta({
      description:
        'Money under a refund that was requested without proof: the proven buyer can ask for it with another address. Absent without any.',
    }),
    mails_receipt: z
      .boolean()
      .optional()
      .meta({ description: 'The receipt can be sent by e-mail; absent if not.' }),
    lacks_receipt: z.boolean().optional().meta({
      description: 'The order is paid, but the service signs no receipt of it; absent if not.',
    }),
    shop_url: z.string().nullable().meta({ description: 'Link back to the shop, at any stage.' }),
    success_url: z.string().nullable().meta({ description: 'Null until paid.' }),
    onramp: z.string().nullable().meta({
      description:
        'Page of a third party that sells the coins for a card payment; null without one.',
    }),
  })
  .meta({ description: "The buyer's view of one order." }) satisfies z.ZodType<Checkout>;
