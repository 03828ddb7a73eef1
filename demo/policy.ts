/**
 * The content security policy of the shop's pages, as strict as possible: nothing inline; of other
 * origins only the checkout server's script, answers and frame.
 * @param trustedTypes names of Trusted Types policies besides Lit's, because frameworks have their
 * own
 */
export const policyFor = (checkoutServer: string, trustedTypes: readonly string[] = []): string =>
  [
    `default-src 'none'`,
    `script-src 'self' ${checkoutServer}`,
    `connect-src 'self' ${checkoutServer}`,
    `frame-src ${checkoutServer}`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `form-action 'self' ${checkoutServer}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types lit-html${trustedTypes.map((name) => ` ${name}`).join('')}`,
  ].join('; ');
