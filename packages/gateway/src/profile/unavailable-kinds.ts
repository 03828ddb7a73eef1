import { type ChainId, KINDS } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { readScanStates, type ScanState } from '../http/monitoring/chain-state.ts';

/** A lightning node that fails for so long makes no payment requests. */
const SILENT_SECONDS = 60;

/**
 * The kinds in which no invoice can be made now, or whose payments would not be seen: their chain
 * is not open or not read, or lightning can receive nothing. No node is asked for it.
 * @param startedAt real time of the start of this process
 */
export async function unavailableKinds(
  context: Pick<Context, 'db' | 'chains' | 'clock' | 'config'>,
  startedAt: number,
): Promise<ReadonlySet<string>> {
  const states = await readScanStates(context, startedAt);
  const limit = context.config.scanAlarmMinutes * 60;
  const offered = new Set(
    [...context.chains].flatMap(([chain, { kinds }]) =>
      isRead(chain, states.get(chain), limit) ? kinds : [],
    ),
  );
  return new Set(KINDS.flatMap(({ kind }) => (offered.has(kind) ? [] : [kind])));
}

function isRead(chain: ChainId, state: ScanState | undefined, limit: number): boolean {
  if (state === undefined) return false;
  const { scanned_age_seconds: age, failure } = state;
  const isSilent = chain === 'lightning' && failure !== null && age > SILENT_SECONDS;
  return age <= limit && !isSilent;
}
