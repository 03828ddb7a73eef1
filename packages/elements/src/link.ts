/** What a wallet link may start with. A server that answers anything else gets no link: Lit draws `javascript:` as it comes. */
const WALLET =
  /^(?:bitcoin|litecoin|dogecoin|lightning|ethereum|solana|ton|tron|liquidnetwork|liquidtestnet):|^https:\/\/xaman\.app\/detect\//i;

/** The link, when it is one that opens a wallet. */
export const walletLink = (link: string | null | undefined): string | undefined =>
  link && WALLET.test(link) && !/[\s"<>\\^`{|}]/.test(link) ? link : undefined;

/** The link, when it leads to a page: https, or http where a shop is being developed. */
export function pageLink(link: string | null | undefined): string | undefined {
  if (!link || !/^https?:\/\//i.test(link)) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(link);
    if (username || password) return undefined;
    return protocol === 'https:' || /^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/.test(hostname) ? href : undefined;
  } catch {
    return undefined;
  }
}
