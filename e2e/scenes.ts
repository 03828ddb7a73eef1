/** Every stage, and the notes beside one: scenarios that stand still. */
export const SCENES = {
  choose: 'choose',
  pay: 'pay#1',
  exchange: 'exchange#1',
  underpaid: 'underpaid#2',
  seen: 'seen#last',
  paid: 'paid#last',
  complete: 'complete#last',
  expired: 'expired#2',
  late: 'late#3',
  overpaid: 'overpaid#2',
  held: 'held#3',
  failed: 'failed#3',
  replaced: 'replaced#3',
  reusable: 'reusable#1',
  unknown: 'unknown#2',
  error: 'error-not-found',
};
