/** §2.1: in which form a wallet's bitcoin addresses are given out. */
export const addressFormat = `
alter table wallet add column address_format text not null default 'bech32' check (address_format in ('bech32', 'p2sh'));
`;
