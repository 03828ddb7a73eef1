import type { Metrics } from '../../metrics.ts';
import type { Log } from '../../options.ts';
import type { DamagedEntry } from '../../store/store.ts';

/**
 * Returns the function that logs and counts each damaged checkout once: until the service answers,
 * every request finds it again.
 */
export function createDamageLog(
  log: Log,
  metrics: Metrics,
): (id: string, error: DamagedEntry) => void {
  const known = new Set<string>();
  return (id, error) => {
    if (known.has(id)) return;
    known.add(id);
    metrics.count('bff_damaged_checkouts_total');
    log.error(
      { event: 'checkout_damaged', error, checkout_id: id },
      'a stored checkout is damaged: it is set aside and rebuilt from its invoices',
    );
  };
}
