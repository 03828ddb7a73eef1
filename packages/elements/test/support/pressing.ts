/** A test that presses keys. The test runner cannot in WebKitGTK; the end-to-end tests do. */
export const pressing =
  /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent) ? it.skip : it;
