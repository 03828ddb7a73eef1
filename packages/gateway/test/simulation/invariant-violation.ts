/** An invariant of the simulation does not hold. */
export class InvariantViolation extends Error {
  override name = 'InvariantViolation';
  readonly invariant: string;

  constructor(invariant: string, found: unknown) {
    super(
      `${invariant}: ${JSON.stringify(found, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 1)}`,
    );
    this.invariant = invariant;
  }
}
