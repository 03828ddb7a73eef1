/** The buyer has picked a coin in a coin picker. Preventing it keeps the form from being sent. */
export class CoinPickEvent extends Event {
  readonly kind: string;
  constructor(kind: string) {
    super('coin-pick', { bubbles: true, composed: true, cancelable: true });
    this.kind = kind;
  }
}
