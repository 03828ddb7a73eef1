/** The format of a wallet's new bitcoin addresses. */
export const addressFormat = `
alter table wallet add column address_format text not null default 'bech32' check (address_format in ('bech32', 'p2sh'));
`;
