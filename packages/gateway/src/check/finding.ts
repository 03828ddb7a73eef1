import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';
import type { Db } from '../database/database.ts';
import { reasonOf } from '../database/transact.ts';

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

/** The result of a look, and the fault for the operator if it failed. */
export interface Look<T> {
  found: T;
  mistake: Finding | null;
}

/**
 * Runs a look that throws a sentence for the operator.
 * @param otherwise the result of a look that failed
 */
export async function lookAt<T>(
  about: string,
  otherwise: T,
  look: () => Promise<T> | T,
): Promise<Look<T>> {
  try {
    return { found: await look(), mistake: null };
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UnavailableError)
      return { found: otherwise, mistake: fault(about, error.message) };
    throw error;
  }
}

/** Runs a look without a result; null when it threw nothing. */
export const faultOf = async (
  about: string,
  look: () => Promise<void> | void,
): Promise<Finding | null> => (await lookAt(about, undefined, look)).mistake;

/**
 * Runs a look that reads the database; its failure is a fault, so that the other looks go on.
 * @param otherwise the result of a look that failed
 */
export async function readFrom<T>(
  db: Db | null,
  otherwise: T,
  look: (db: Db) => Promise<T>,
): Promise<Look<T>> {
  if (db === null) return { found: otherwise, mistake: null };
  try {
    return { found: await look(db), mistake: null };
  } catch (error) {
    const says = `It cannot be read: ${reasonOf(error)}. Mend the database, and check again.`;
    return { found: otherwise, mistake: fault('DATABASE_URL', says) };
  }
}

export const present = (findings: readonly (Finding | null)[]): Finding[] =>
  findings.filter((one) => one !== null);
