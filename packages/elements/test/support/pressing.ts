const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent);

/** A test that presses keys. The test runner cannot in WebKitGTK; the end-to-end tests do. */
export const pressing = isWebKit ? it.skip : it;

/** A test of `text-wrap: balance` within a word, which WebKitGTK 2.50 leaves unbalanced. */
export const balancing = isWebKit ? it.skip : it;
