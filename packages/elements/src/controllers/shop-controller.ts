import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import { drawNote } from '../components/checkout/note.ts';
import type { CheckoutHost, ControllerHost } from '../core/contracts.ts';
import { loadAdvice } from '../core/lazy-registry.ts';
import type { Drawn } from '../core/panel.ts';
import { msg } from '../i18n/locale.ts';
import { failure } from '../server/checkout-server.ts';
import type { CheckoutSource } from '../server/source.ts';
import { CheckoutController } from './checkout-controller.ts';
import { ServerSource } from './server-source.ts';

/**
 * Runs a checkout in a shop's page, whose attributes may ask for more than the hosted page does: a
 * demonstration, a custom opening, or a pinned key. Its developers get advice.
 */
export class ShopController extends CheckoutController {
  #host: CheckoutHost;
  #callbacks: ControllerHost;
  /** The checkout whose attributes were compared with its views. */
  #checked: string | undefined;

  constructor(host: CheckoutHost, callbacks: ControllerHost) {
    super(host, callbacks);
    this.#host = host;
    this.#callbacks = callbacks;
    void loadAdvice().then((advice) => advice?.warnIfEmpty(host));
  }

  override attend(next: Checkout): void {
    super.attend(next);
    if (this.#checked === next.id) return;
    this.#checked = next.id;
    void loadAdvice().then((advice) => advice?.checkAttributes(this.#host, next));
  }

  protected override async findSource(): Promise<CheckoutSource> {
    const { demo, proofKey } = this.#host;
    const location = { ...this.#callbacks.location(), ...(await this.#host.opening?.()) };
    // A demonstration has no server that could sign.
    if (demo) return (await orNetworkFailure(import('../scenario/player.ts'))).createPlayer(demo);
    const source = new ServerSource(location);
    if (!proofKey) return source;
    // Only proven views pass.
    const { provenSource } = await orNetworkFailure(import('../proof/proven-source.ts'));
    return provenSource(this.#host, source);
  }

  override drawProblems(): Drawn {
    return html`${
      this.#host.demo
        ? drawNote(msg('Demonstration: nothing is paid here.', { id: 'demo' }), 'wait')
        : nothing
    }${super.drawProblems()}`;
  }
}

/** A file that does not arrive is a lost connection. */
const orNetworkFailure = <T>(file: Promise<T>): Promise<T> =>
  file.catch((error: unknown) => Promise.reject(failure('network', String(error))));
