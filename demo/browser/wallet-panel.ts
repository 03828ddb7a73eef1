import { wrongKind } from './wrong-kind.ts';

interface Payment {
  invoice_id: string;
  kind: string;
  remaining: string | null;
  due: string | null;
  transactions: { txid: string }[];
}
interface Shown {
  checkout?: { payment: Payment | null } | null;
}
interface Command {
  action: string;
  body: Record<string, unknown>;
}

/** Doubles or halves a decimal string without leaving the integers. */
const scale = (amount: string, times: bigint, by: bigint): string => {
  const [whole = '0', fraction = ''] = amount.split('.');
  const digits = String((BigInt(whole + fraction) * times) / by).padStart(fraction.length + 1, '0');
  return fraction
    ? `${digits.slice(0, -fraction.length)}.${digits.slice(-fraction.length)}`
    : digits;
};

const commandOf = (name: string, payment: Payment): Command => {
  const invoice_id = payment.invoice_id;
  const amount = payment.remaining ?? payment.due ?? '1';
  const txid = payment.transactions.at(-1)?.txid ?? '';
  const [verb = '', number = '1'] = name.split('-');
  switch (name) {
    case 'pay':
      return { action: 'pay', body: { invoice_id } };
    case 'pay-half':
      return { action: 'pay', body: { invoice_id, amount: scale(amount, 1n, 2n) } };
    case 'pay-double':
      return { action: 'pay', body: { invoice_id, amount: scale(amount, 2n, 1n) } };
    case 'pay-wrong':
      return { action: 'pay', body: { invoice_id, kind: wrongKind(payment.kind), amount: '1' } };
    case 'replace':
      return { action: 'replace', body: { txid, pays_us: false } };
    case 'drop':
    case 'fail':
      return { action: name, body: { txid } };
    case 'reorg':
      return { action: 'reorg', body: { kind: payment.kind, depth: 1 } };
    default:
      return verb === 'mine'
        ? { action: 'mine', body: { kind: payment.kind, blocks: Number(number) } }
        : { action: 'clock', body: { advance_seconds: Number(number) } };
  }
};

/** Buttons that act as the buyer and the network on the sandbox. */
export function startWallet(): void {
  const panel = document.querySelector('#wallet');
  const said = document.querySelector<HTMLOutputElement>('#wallet-said');
  const element = document.querySelector<HTMLElement & Shown>('crypto-checkout');
  if (!panel || !said) return;
  // In a dialog the element is not reachable; its events are.
  let latest: Shown['checkout'];
  for (const name of ['checkout-ready', 'checkout-change'])
    document.addEventListener(name, (event) => {
      latest = (event as Event & Shown).checkout;
    });
  panel.addEventListener('click', (event) => {
    const button =
      event.target instanceof Element
        ? event.target.closest<HTMLButtonElement>('button[data-action]')
        : null;
    if (button) void act(button.dataset['action'] ?? '');
  });
  const act = async (name: string): Promise<void> => {
    const payment = (element?.checkout ?? latest)?.payment;
    if (!payment) {
      said.value = 'Choose a coin in the checkout first.';
      return;
    }
    if (name === 'pay-wrong' && wrongKind(payment.kind) === payment.kind) {
      said.value = 'This network has no other coin.';
      return;
    }
    said.value = '…';
    try {
      const answer = await fetch('/wallet', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(commandOf(name, payment)),
      });
      const text = await answer.text();
      said.value = answer.ok ? `Done: ${text}` : `Refused (${answer.status}): ${text}`;
    } catch {
      said.value = 'The service did not answer.';
    }
  };
}
