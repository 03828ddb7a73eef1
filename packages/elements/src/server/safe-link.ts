/** Allowed wallet links. Others are dropped, because Lit would also render `javascript:`. */
const WALLET =
  /^(?:(?:bitcoin|litecoin|dogecoin|lightning|ethereum|solana|ton|tron|liquidnetwork|liquidtestnet):|https:\/\/xaman\.app\/detect\/)[^\s"<>\\^`{|}]+$/i;
/** A page: https, or http on a developer's machine. */
const PAGE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/i;

/** The link, if it opens a wallet. */
export const walletLink = (link: string): string | undefined =>
  WALLET.test(link) ? link : undefined;

/** The link, if it opens a page. */
export const pageLink = (link: string | null): string | undefined =>
  link && PAGE.test(link) ? link : undefined;
