import { type Locator, type Page, expect } from '@playwright/test';

interface Payment {
  invoice_id: string;
  kind: string;
  address: string;
  due: string;
  remaining: string;
  expires_at: string;
  transactions: { txid: string; status: string }[];
}
interface CheckoutView {
  id: string;
  stage: string;
  notes: string[];
  version: number;
  payment: Payment | null;
}

/** A buyer's actions and observations: everything is read from the page, nothing from our data. */
export class Buyer {
  readonly page: Page;
  readonly checkout: Locator;

  constructor(page: Page) {
    this.page = page;
    this.checkout = page.locator('crypto-checkout');
  }

  /** Chooses a coin by the name and network in the picker. */
  async choose(kind: string): Promise<void> {
    const radio = this.checkout.locator(`input[type=radio][value="${kind}"]`);
    // Opens folded content first; hydration may close it again.
    const open = (): Promise<void> =>
      radio.evaluate((input) => {
        for (
          let fold = input.closest('details');
          fold;
          fold = fold.parentElement?.closest('details') ?? null
        )
          fold.open = true;
      });
    // A tap goes on at once; before the script has loaded it only chooses, and Continue appears.
    const waits = this.checkout.locator('crypto-coin-picker:is(:not(:defined), [defer-hydration])');
    const isEarly = (await waits.count()) > 0;
    await expect(async () => {
      await open();
      await radio.locator('xpath=..').click({ timeout: 10_000 });
    }).toPass();
    if (isEarly)
      await this.checkout
        .locator('[part~="submit"]')
        .first()
        .click({ timeout: 10_000 })
        .catch(() => undefined);
    await expect.poll(() => this.view().then((view) => view?.payment?.kind)).toBe(kind);
  }

  /** The element's checkout object. */
  view(): Promise<CheckoutView | null> {
    return this.checkout.evaluate(
      (element) => (element as unknown as { checkout: CheckoutView | null }).checkout ?? null,
    );
  }

  async payment(): Promise<Payment> {
    // Its script may not have loaded yet.
    await expect
      .poll(() => this.view().then((view) => Boolean(view?.payment)), 'a coin is chosen')
      .toBe(true);
    const payment = (await this.view())?.payment;
    if (!payment) throw new Error('no coin is chosen');
    return payment;
  }

  /** Waits for a stage of the checkout. */
  async reaches(stage: string): Promise<void> {
    await expect
      .poll(() => this.view().then((view) => view?.stage), {
        timeout: 30_000,
        message: `stage ${stage}`,
      })
      .toBe(stage);
  }

  async notes(): Promise<string[]> {
    return (await this.view())?.notes ?? [];
  }

  async has(note: string): Promise<void> {
    await expect.poll(() => this.notes(), { timeout: 30_000 }).toContain(note);
  }

  /** The address as displayed. */
  async readAddress(): Promise<string> {
    const text = await this.checkout
      .locator('crypto-address')
      .first()
      .evaluate((element) => element.shadowRoot?.textContent ?? '');
    const address = /0x[0-9a-fA-F]{40}/.exec(text.replace(/\s+/g, ''))?.[0];
    if (!address) throw new Error(`no address on the page: ${text}`);
    return address;
  }

  /** Text of the whole checkout, shadow roots included. */
  async text(): Promise<string> {
    return this.checkout.evaluate((element) => {
      const gather = (root: ParentNode): string =>
        [...root.querySelectorAll('*')]
          .map((node) => (node.shadowRoot ? gather(node.shadowRoot) : ''))
          .join(' ') + ((root as ShadowRoot).textContent ?? '');
      return element.shadowRoot ? gather(element.shadowRoot) : '';
    });
  }
}
