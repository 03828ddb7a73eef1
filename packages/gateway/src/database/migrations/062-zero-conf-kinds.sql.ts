/**
 * Only bitcoin on its chain is accepted before it is in a block: what was asked of another coin did
 * nothing, and is refused since.
 */
export const zeroConfKinds = `
update profile_currency set zero_conf_max_amount = null where kind not in ('BTC', 'BTC_P2SH', 'BTC_BECH32');
`;
