import { equalInConstantTime } from '@crypto-checkout/protocol/bytes';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { Refusal } from '../http/refusal.ts';
import { type Catalogue, type ItemRequest, requireItem } from '../order/catalogue.ts';
import { type Offer, orderOffer } from '../order/offer.ts';
import { checkoutIdOf, randomId } from '../order/identity.ts';
import { successLink } from '../order/success-link.ts';
import type { OpenRequest } from '../order/request.ts';
import { type OnIgnored, statedOrder } from '../order/stated.ts';
import { type OrderTerms, otherTerms, termsOf } from '../order/terms.ts';
import { orderOfToken } from '../order/token.ts';
import type { Book, Live } from './book.ts';
import { newRecord } from './record.ts';
import { type Circumstances, standingOf } from './standing.ts';

export interface OpenerOptions {
  book: Book;
  catalogue: Catalogue;
  allowClientPrices: boolean;
  orderSecret: string;
  shopSecret: string;
  hmac: Hmac;
  now: () => number;
  circumstances: () => Circumstances;
  /** Origins that a success link may lead to. */
  successOrigins: readonly string[];
  /** Hears of an order's success link that will not be followed. */
  onLostLink: (link: string) => void;
  /** Hears of what an order holds beside an order's members. */
  onIgnored: OnIgnored;
}

/**
 * Opens checkouts. A price comes from a signed order, the catalogue or the shop itself; from a browser only where the operator allows
 * it, and marked as such.
 */
export class Opener {
  readonly #options: OpenerOptions;

  constructor(options: OpenerOptions) {
    this.#options = options;
  }

  /**
   * @param secret what came in `Authorization: Bearer`, or null
   * @param page origin of the page that asks, when it is one that the operator knows
   * @throws Refusal; 401 for a signature or a secret that is not right
   */
  async open(request: OpenRequest, secret: string | null, page: string | null): Promise<Live> {
    if (secret !== null) this.#requireShop(secret);
    if ('item' in request) return this.#openItem(request);
    if ('offer' in request) return this.#openOffer(request.offer, page);
    if (typeof request.order === 'string') return this.#openToken(request.order);
    if (secret === null) throw new Refusal(401, 'InvalidApiKey', "An order as an object needs the shop's secret in Authorization: Bearer.");
    const stated = statedOrder(request.order, { where: 'The order', onIgnored: this.#options.onIgnored });
    return this.#openFor(termsOf(stated, 'shop'), { expired: null, replace: true });
  }

  #requireShop(secret: string): void {
    if (!equalInConstantTime(secret, this.#options.shopSecret)) throw new Refusal(401, 'InvalidApiKey', "The shop's secret is not right.");
  }

  async #openItem(request: ItemRequest): Promise<Live> {
    const { catalogue } = this.#options;
    const item = requireItem(catalogue, request, `item-${randomId()}`);
    return this.#openFor(termsOf(item, 'catalogue'), { expired: null, replace: false });
  }

  /** A new order each time: the page knows it by what it passes through. */
  async #openOffer(offer: Offer, page: string | null): Promise<Live> {
    const { catalogue, allowClientPrices } = this.#options;
    const { order: offered, source } = orderOffer(offer, { catalogue, allowClientPrices, page, orderId: `offer-${randomId()}` });
    const terms = { ...termsOf(offered, source), passthrough: offer.passthrough ?? null };
    return this.#openFor(terms, { expired: null, replace: false });
  }

  async #openToken(token: string): Promise<Live> {
    const { order: stated, expired } = await orderOfToken(token, { ...this.#options, now: this.#options.now() });
    return this.#openFor(termsOf(stated, 'token'), { expired, replace: false });
  }

  /** The same order is the same checkout. */
  async #openFor(terms: OrderTerms, { expired, replace }: { expired: Refusal | null; replace: boolean }): Promise<Live> {
    const { book, orderSecret, hmac, now } = this.#options;
    const id = await checkoutIdOf(terms.order_id, orderSecret, hmac);
    const known = await book.find(id);
    if (!known && expired) throw expired;
    const live = known ?? (await book.begin(newRecord(id, terms, now())));
    const { success_url: link, source } = terms;
    if (!known && link && !successLink(link, source, { successOrigins: this.#options.successOrigins, checkoutId: id }))
      this.#options.onLostLink(link);
    const others = otherTerms(live.record.terms, terms);
    if (others.length === 0) return live;
    if (!replace) throw changedTerms(others);
    await this.#replaceTerms(live, terms);
    return live;
  }

  async #replaceTerms(live: Live, terms: OrderTerms): Promise<void> {
    const { book, circumstances } = this.#options;
    await book.change(live, (record) => {
      const { stage, paid, late } = standingOf(record, circumstances());
      const moneyCame = isPaidStage(stage) || paid !== '0' || late !== '0' || record.transactions.length > 0;
      const otherCurrency = record.invoices.length > 0 && record.terms.currency !== terms.currency;
      if (moneyCame || otherCurrency || record.attempts.length > 0)
        throw new Refusal(409, 'InvalidState', 'A payment for this order has begun; its terms stand. Use a new order_id.');
      return { ...record, terms, selected: null };
    });
  }
}

/** What they were is not said: whoever holds a token of the order would read what another one said. */
function changedTerms(others: readonly string[]): Refusal {
  const names = new Intl.ListFormat('en').format(others);
  const message = `This order was opened before with other terms: ${names} changed. Use a new order_id, or replace them with the shop's secret.`;
  return new Refusal(409, 'DuplicateReference', message, { errors: others.map((field) => ({ field, message: `${field} changed` })) });
}
