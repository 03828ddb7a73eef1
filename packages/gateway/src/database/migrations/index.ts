import { start } from './001-start.sql.ts';
import { payments } from './005-payments.sql.ts';
import { sandbox } from './010-sandbox.sql.ts';
import { payouts } from './020-payouts.sql.ts';
import { accounts } from './030-accounts.sql.ts';
import { consolidation } from './035-consolidation.sql.ts';
import { addressFormat } from './036-address-format.sql.ts';
import { callbacks } from './040-callbacks.sql.ts';
import { notices } from './041-notices.sql.ts';
import { conversions } from './045-conversions.sql.ts';
import { risk } from './050-risk.sql.ts';
import { automaticPayouts } from './051-automatic-payouts.sql.ts';
import { zeroConf } from './052-zero-conf.sql.ts';
import { owed } from './053-owed.sql.ts';
import { automaticPayoutLimit } from './054-automatic-payout-limit.sql.ts';
import { dashboard } from './055-dashboard.sql.ts';
import { attention } from './056-attention.sql.ts';
import { bulk } from './057-bulk.sql.ts';
import { deposits } from './058-deposits.sql.ts';
import { unassigned } from './059-unassigned.sql.ts';
import { throughput } from './060-throughput.sql.ts';
import { lastRun } from './061-last-run.sql.ts';
import { zeroConfKinds } from './062-zero-conf-kinds.sql.ts';
import { payoutFeeRate } from './063-payout-fee-rate.sql.ts';
import { lostInputs } from './064-lost-inputs.sql.ts';
import { comparedBlocks } from './070-compared-blocks.sql.ts';
import { scanFailures } from './071-scan-failures.sql.ts';
import { dailyPayoutLimit } from './073-daily-payout-limit.sql.ts';
import { signerApproval } from './074-signer-approval.sql.ts';
import { outgoingAttempts } from './075-outgoing-attempts.sql.ts';
import { balanceChecks } from './076-balance-checks.sql.ts';
import { unlistedTransfers } from './077-unlisted-transfers.sql.ts';
import { finalizedBlocks } from './078-finalized-blocks.sql.ts';
import { sweepRecipient } from './079-sweep-recipient.sql.ts';
import { proofKeys } from './080-proof-keys.sql.ts';
import { chainTxids } from './081-chain-txids.sql.ts';
import { lightningOnce } from './082-lightning-once.sql.ts';
import { refunds } from './083-refunds.sql.ts';
import { coins } from './084-coins.sql.ts';
import { defaultConfirmations } from './085-default-confirmations.sql.ts';
import { lightningBeside } from './086-lightning-beside.sql.ts';
import { payoutBatches } from './087-payout-batches.sql.ts';
import { coinConsolidation } from './088-coin-consolidation.sql.ts';
import { owedFees } from './089-owed-fees.sql.ts';
import { alarms } from './090-alarms.sql.ts';
import { callbackRetention } from './091-callback-retention.sql.ts';
import { alarmWords } from './092-alarm-words.sql.ts';
import { alarmFunding } from './093-alarm-funding.sql.ts';
import { evmNetwork } from './094-evm-network.sql.ts';
import { untracedBlocks } from './095-untraced-blocks.sql.ts';

export interface Migration {
  name: string;
  sql: string;
}

/**
 * In the order in which they are applied, which is not always the order of their numbers. A new
 * line goes to the end. No line is moved or changed, because databases have applied it already.
 */
export const migrations: readonly Migration[] = [
  { name: '001-start', sql: start },
  { name: '005-payments', sql: payments },
  { name: '010-sandbox', sql: sandbox },
  { name: '020-payouts', sql: payouts },
  { name: '030-accounts', sql: accounts },
  { name: '035-consolidation', sql: consolidation },
  { name: '036-address-format', sql: addressFormat },
  { name: '040-callbacks', sql: callbacks },
  { name: '041-notices', sql: notices },
  { name: '050-risk', sql: risk },
  { name: '051-automatic-payouts', sql: automaticPayouts },
  { name: '045-conversions', sql: conversions },
  { name: '052-zero-conf', sql: zeroConf },
  { name: '053-owed', sql: owed },
  { name: '055-dashboard', sql: dashboard },
  { name: '056-attention', sql: attention },
  { name: '060-throughput', sql: throughput },
  { name: '054-automatic-payout-limit', sql: automaticPayoutLimit },
  { name: '057-bulk', sql: bulk },
  { name: '058-deposits', sql: deposits },
  { name: '059-unassigned', sql: unassigned },
  { name: '061-last-run', sql: lastRun },
  { name: '062-zero-conf-kinds', sql: zeroConfKinds },
  { name: '063-payout-fee-rate', sql: payoutFeeRate },
  { name: '064-lost-inputs', sql: lostInputs },
  { name: '073-daily-payout-limit', sql: dailyPayoutLimit },
  { name: '074-signer-approval', sql: signerApproval },
  { name: '070-compared-blocks', sql: comparedBlocks },
  { name: '071-scan-failures', sql: scanFailures },
  { name: '075-outgoing-attempts', sql: outgoingAttempts },
  { name: '076-balance-checks', sql: balanceChecks },
  { name: '077-unlisted-transfers', sql: unlistedTransfers },
  { name: '078-finalized-blocks', sql: finalizedBlocks },
  { name: '079-sweep-recipient', sql: sweepRecipient },
  { name: '080-proof-keys', sql: proofKeys },
  { name: '081-chain-txids', sql: chainTxids },
  { name: '082-lightning-once', sql: lightningOnce },
  { name: '083-refunds', sql: refunds },
  { name: '084-coins', sql: coins },
  { name: '085-default-confirmations', sql: defaultConfirmations },
  { name: '086-lightning-beside', sql: lightningBeside },
  { name: '087-payout-batches', sql: payoutBatches },
  { name: '088-coin-consolidation', sql: coinConsolidation },
  { name: '089-owed-fees', sql: owedFees },
  { name: '090-alarms', sql: alarms },
  { name: '091-callback-retention', sql: callbackRetention },
  { name: '092-alarm-words', sql: alarmWords },
  { name: '093-alarm-funding', sql: alarmFunding },
  { name: '094-evm-network', sql: evmNetwork },
  { name: '095-untraced-blocks', sql: untracedBlocks },
];
