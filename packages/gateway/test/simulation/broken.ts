/** A rule that did not hold. */
export class Broken extends Error {
  override name = 'Broken';
  readonly rule: string;

  constructor(rule: string, found: unknown) {
    super(`${rule}: ${JSON.stringify(found, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 1)}`);
    this.rule = rule;
  }
}
