// Icons of the stages: line drawings on a 24-unit grid.

/** seen */
export const EYE =
  'M2 12c3-4.5 6.3-6.5 10-6.5s7 2 10 6.5c-3 4.5-6.3 6.5-10 6.5S5 16.5 2 12m10-3a3 3 0 1 0 .01 0z';
/** complete */
export const CHECKS = 'm2 13 4 4L15 7m-3 8 2 2 8-10';
