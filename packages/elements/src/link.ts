/** What a wallet link may start with. A server that answers anything else gets no link: Lit draws `javascript:` as it comes. */
const WALLET =
  /^(?:(?:bitcoin|litecoin|dogecoin|lightning|ethereum|solana|ton|tron|liquidnetwork|liquidtestnet):|https:\/\/xaman\.app\/detect\/)[^\s"<>\\^`{|}]+$/i;
/** A page: https, or http where a shop is being developed. */
const PAGE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/i;

/** The link, when it is one that opens a wallet. */
export const walletLink = (link: string): string | undefined => (WALLET.test(link) ? link : undefined);

/** The link, when it leads to a page. */
export const pageLink = (link: string | null): string | undefined => (link && PAGE.test(link) ? link : undefined);
