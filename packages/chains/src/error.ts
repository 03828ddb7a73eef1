/**
 * A setting or key file is missing or invalid. Each line of the message is one sentence for the
 * operator.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** A dependency (node, database) does not respond, so the outcome of the request is unknown. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
}

/** The node refuses the login, or there is none to send. */
export class LoginError extends UnavailableError {
  /** Null: the node refused it. */
  readonly missingFile: string | null;

  constructor(message: string, missingFile: string | null = null) {
    super(message);
    this.missingFile = missingFile;
  }
}

/** The node does not allow the request (HTTP 403), such as a method outside its `rpcwhitelist`. */
export class ForbiddenError extends UnavailableError {
  constructor(refused = 'the request') {
    super(`The node refuses ${refused} (HTTP 403)`);
  }
}

/** The chain can't receive this amount now. The message continues a sentence about the amount. */
export class AmountLimitError extends UnavailableError {}

/** The node has deleted a block that is asked for; it will not have it later. */
export class PrunedError extends UnavailableError {}

/** A replacement must pay more than the highest fee rate of its chain. */
export class FeeCeilingError extends Error {
  override name = 'FeeCeilingError';
}
