/** What the shop's server answers: an order that it has signed, and the checkout server's address. */
export interface Order {
  id: string;
  token: string;
  server: string;
}

/** Asks the shop's server for a new order. The price is the server's. */
export async function createOrder(product: string): Promise<Order> {
  const answer = await fetch('/frameworks/orders', { method: 'POST', body: new URLSearchParams({ product }) });
  if (!answer.ok) throw new Error(`The shop answered ${answer.status}.`);
  return (await answer.json()) as Order;
}
