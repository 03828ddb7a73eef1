import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';

/** One line of `crypto-checkout-gateway check`. */
export interface Finding {
  /** The setting, file, chain or service that it is about. */
  about: string;
  /** `manual`: no program can see it. */
  result: 'ok' | 'warning' | 'fault' | 'manual';
  /** One sentence, with the remedy of a fault. */
  says: string;
}

const finding =
  (result: Finding['result']) =>
  (about: string, says: string): Finding => ({ about, result, says });

export const ok = finding('ok');
export const warning = finding('warning');
export const fault = finding('fault');
export const manual = finding('manual');

/**
 * Runs a look that throws a sentence for the operator.
 * @returns null when it threw nothing
 */
export async function faultOf(
  about: string,
  look: () => Promise<void> | void,
): Promise<Finding | null> {
  try {
    await look();
    return null;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UnavailableError)
      return fault(about, error.message);
    throw error;
  }
}

export const present = (findings: readonly (Finding | null)[]): Finding[] =>
  findings.filter((one) => one !== null);
