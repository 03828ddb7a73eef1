const FINAL = new Set(['complete']);
const PAID = new Set(['paid', 'complete']);

/**
 * Polls the shop for the order's state every second; the shop has it from webhooks only. The button
 * of a paid order asks for no second payment.
 */
export function watchOrder(): void {
  const status = document.querySelector<HTMLElement>('#order-status');
  const id = /^\/orders\/([\w-]+)/.exec(location.pathname)?.[1];
  if (!status || !id) return;
  const look = async (): Promise<void> => {
    try {
      const answer = await fetch(`/orders/${id}/status`);
      if (answer.ok) {
        const { status: now, text } = (await answer.json()) as { status: string; text: string };
        if (status.dataset['status'] !== now) {
          status.dataset['status'] = now;
          status.textContent = text;
        }
        const button = document.querySelector<HTMLElement>('crypto-checkout-button');
        if (button && PAID.has(now)) button.textContent = button.dataset['paid'] ?? '';
        if (FINAL.has(now)) return;
      }
    } catch {
      // The shop does not answer: poll again.
    }
    setTimeout(() => void look(), 1000);
  };
  void look();
}
