/**
 * The content security policy of the shop's pages, as strict as they come: nothing inline, and of other origins the checkout server's
 * script, answers and frame.
 * @param trustedTypes names of trusted types policies beside Lit's: frameworks have their own
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
