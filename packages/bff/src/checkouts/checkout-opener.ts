import { equalInConstantTime } from '@crypto-checkout/protocol/bytes';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { HttpError } from '../http/http-error.ts';
import { type Catalogue, type ItemRequest, requireItemOrder } from '../orders/catalogue.ts';
import { type Offer, orderForOffer } from '../orders/offer.ts';
import { checkoutIdOf, randomId } from '../orders/ids.ts';
import { successLink } from '../orders/success-link.ts';
import type { OpenRequest } from '../orders/open-request.ts';
import { type OnIgnoredMembers, validateOrder } from '../orders/validate-order.ts';
import { type OrderTerms, differingTerms, termsOf } from '../orders/terms.ts';
import { orderFromToken } from '../orders/order-token.ts';
import type { CheckoutRepository, LoadedCheckout } from './repository/checkout-repository.ts';
import type { CheckoutRebuilder } from './rebuild/checkout-rebuilder.ts';
import { newRecord } from './repository/record.ts';
import { type StateContext, checkoutState } from './checkout-state.ts';

export interface CheckoutOpenerOptions {
  repository: CheckoutRepository;
  rebuilder: CheckoutRebuilder;
  catalogue: Catalogue;
  allowClientPrices: boolean;
  orderSecret: string;
  shopSecret: string;
  hmac: Hmac;
  now: () => number;
  stateContext: () => StateContext;
  /** Origins that a success link may lead to. */
  successOrigins: readonly string[];
  /** Called with a success link of an order that will not be followed. */
  onRejectedSuccessUrl: (link: string) => void;
  /** Called with the unknown members of an order. */
  onIgnoredMembers: OnIgnoredMembers;
}

export interface OpenedCheckout {
  checkout: LoadedCheckout;
  /** The caller is the buyer's browser, with a fresh order or its own one. */
  isBuyer: boolean;
}

/**
 * Opens checkouts. The price comes from a signed order, the catalogue or the shop itself; a price
 * from a browser needs ALLOW_CLIENT_PRICES and is marked.
 */
export class CheckoutOpener {
  readonly #options: CheckoutOpenerOptions;

  constructor(options: CheckoutOpenerOptions) {
    this.#options = options;
  }

  /**
   * @param secret the token in `Authorization: Bearer`, or null
   * @param page origin of the requesting page, if it is a known one
   * @throws HttpError; 401 for an invalid signature or secret
   */
  async open(
    request: OpenRequest,
    secret: string | null,
    page: string | null,
  ): Promise<OpenedCheckout> {
    if (secret !== null) this.#requireShop(secret);
    const isBuyer = secret === null;
    if ('item' in request) return { checkout: await this.#openItem(request), isBuyer };
    if ('offer' in request)
      return { checkout: await this.#openOffer(request.offer, page), isBuyer };
    if (typeof request.order === 'string') {
      const { checkout, isFresh } = await this.#openToken(request.order);
      return { checkout, isBuyer: isBuyer && isFresh };
    }
    if (secret === null)
      throw new HttpError(
        401,
        'InvalidApiKey',
        "An order as an object needs the shop's secret in Authorization: Bearer.",
      );
    if (isOnlyId(request.order))
      return { checkout: await this.#existing(request.order.order_id), isBuyer };
    const order = validateOrder(request.order, {
      where: 'The order',
      onIgnoredMembers: this.#options.onIgnoredMembers,
    });
    const checkout = await this.#openFor(termsOf(order, 'shop'), { expired: null, replace: true });
    return { checkout, isBuyer };
  }

  #requireShop(secret: string): void {
    if (!equalInConstantTime(secret, this.#options.shopSecret))
      throw new HttpError(
        401,
        'InvalidApiKey',
        'The secret in Authorization: Bearer is not the SHOP_SECRET of this server. With `npm start` it is shop_secret in .data/credentials.json.',
      );
  }

  /** The checkout of an order that was opened before, by its order id alone. */
  async #existing(orderId: string): Promise<LoadedCheckout> {
    const { orderSecret, hmac } = this.#options;
    const found = await this.#find(await checkoutIdOf(orderId, orderSecret, hmac));
    if (found) return found;
    throw new HttpError(
      404,
      'NotFound',
      'No checkout was opened for this order_id. To open one, send amount and currency too.',
    );
  }

  async #find(id: string): Promise<LoadedCheckout | null> {
    const { repository, rebuilder } = this.#options;
    const found = await repository.find(id);
    if (found) return found;
    await rebuilder.ensureRebuilt(id);
    return repository.find(id);
  }

  async #openItem(request: ItemRequest): Promise<LoadedCheckout> {
    const { catalogue } = this.#options;
    const item = requireItemOrder(catalogue, request, `item-${randomId()}`);
    return this.#openFor(termsOf(item, 'catalogue'), { expired: null, replace: false });
  }

  /** Each offer is a new order; the page identifies it by its passthrough. */
  async #openOffer(offer: Offer, page: string | null): Promise<LoadedCheckout> {
    const { catalogue, allowClientPrices } = this.#options;
    const { order: offered, source } = orderForOffer(offer, {
      catalogue,
      allowClientPrices,
      page,
      orderId: `offer-${randomId()}`,
    });
    const terms = { ...termsOf(offered, source), passthrough: offer.passthrough ?? null };
    return this.#openFor(terms, { expired: null, replace: false });
  }

  async #openToken(token: string): Promise<{ checkout: LoadedCheckout; isFresh: boolean }> {
    const { order, expired } = await orderFromToken(token, {
      ...this.#options,
      now: this.#options.now(),
    });
    const checkout = await this.#openFor(termsOf(order, 'token'), { expired, replace: false });
    return { checkout, isFresh: expired === null };
  }

  /** The same order id always opens the same checkout. */
  async #openFor(
    terms: OrderTerms,
    { expired, replace }: { expired: HttpError | null; replace: boolean },
  ): Promise<LoadedCheckout> {
    const { repository, orderSecret, hmac, now } = this.#options;
    const id = await checkoutIdOf(terms.order_id, orderSecret, hmac);
    const existing = await this.#find(id);
    if (!existing && expired) throw expired;
    const checkout = existing ?? (await repository.findOrCreate(newRecord(id, terms, now())));
    const { success_url: link, source } = terms;
    if (
      !existing &&
      link &&
      !successLink(link, source, { successOrigins: this.#options.successOrigins, checkoutId: id })
    )
      this.#options.onRejectedSuccessUrl(link);
    const changed = differingTerms(checkout.record.terms, terms);
    if (changed.length === 0) return checkout;
    if (!replace) throw termsChanged(changed);
    await this.#replaceTerms(checkout, terms, changed);
    return checkout;
  }

  async #replaceTerms(
    checkout: LoadedCheckout,
    terms: OrderTerms,
    changed: readonly string[],
  ): Promise<void> {
    const { repository, stateContext } = this.#options;
    await repository.update(checkout, (record) => {
      const { stage, paid, late } = checkoutState(record, stateContext());
      const hasPayment =
        isPaidStage(stage) || paid !== '0' || late !== '0' || record.transactions.length > 0;
      const hasOtherCurrency =
        record.invoices.length > 0 && record.terms.currency !== terms.currency;
      if (hasPayment || hasOtherCurrency || record.attempts.length > 0) throw termsFixed(changed);
      return { ...record, terms, selected: null };
    });
  }
}

const isOnlyId = (order: Readonly<Record<string, unknown>>): order is { order_id: string } =>
  Object.keys(order).join() === 'order_id' && typeof order['order_id'] === 'string';

/** The message leaves out the values: a holder of one token must not read the terms of another. */
const termsChanged = (others: readonly string[]): HttpError =>
  differs('DuplicateReference', others, (names) =>
    [
      `This order was opened before with other terms: ${names} changed.`,
      "Use a new order_id, or replace them with the shop's secret.",
    ].join(' '),
  );

const termsFixed = (others: readonly string[]): HttpError =>
  differs('InvalidState', others, (names) =>
    [
      `A payment for this order has started, so its terms are fixed: ${names} changed.`,
      'Send the same terms, or order_id alone, to get the checkout. Use a new order_id for others.',
    ].join(' '),
  );

function differs(
  reason: 'DuplicateReference' | 'InvalidState',
  others: readonly string[],
  messageOf: (names: string) => string,
): HttpError {
  const names = new Intl.ListFormat('en').format(others);
  return new HttpError(409, reason, messageOf(names), {
    errors: others.map((field) => ({ field, message: `${field} changed` })),
  });
}
