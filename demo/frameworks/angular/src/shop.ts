import { CUSTOM_ELEMENTS_SCHEMA, Component, signal } from '@angular/core';

interface Order {
  id: string;
  token: string;
  server: string;
}

/** The element comes from the checkout server's script: Angular only needs to accept the tag. */
@Component({
  selector: 'shop-root',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <main>
      <h1>Harbour mug</h1>
      <p>Stoneware, thrown by hand, holds a proper cup. $18.50</p>
      @if (order(); as order) {
        <p role="status">{{ said() }}</p>
        <crypto-checkout
          [server]="order.server"
          [order]="order.token"
          (checkout-change)="change($event)"
          (checkout-paid)="paid($event)"
        ></crypto-checkout>
      } @else {
        <button type="button" (click)="buy()">Buy</button>
      }
    </main>
  `,
})
export class Shop {
  readonly order = signal<Order | null>(null);
  readonly said = signal('');

  /** The server sets the price: it creates the order and signs it. */
  async buy(): Promise<void> {
    const answer = await fetch('/frameworks/orders', {
      method: 'POST',
      body: new URLSearchParams({ product: 'mug' }),
    });
    this.order.set((await answer.json()) as Order);
  }

  change(event: Event): void {
    if ((event as Event & { to: string }).to === 'seen') this.said.set('Payment detected.');
  }

  paid(event: Event): void {
    const { checkout } = event as Event & { checkout: { order: { order_id: string } } };
    this.said.set(`Thank you! We pack order ${checkout.order.order_id}.`);
  }
}
