// Icons of the stages: line drawings on a 24-unit grid.

/** seen */
export const EYE =
  'M2 12c3-4.5 6.3-6.5 10-6.5s7 2 10 6.5c-3 4.5-6.3 6.5-10 6.5S5 16.5 2 12m10-3a3 3 0 1 0 .01 0z';
/** underpaid */
export const PART = 'M12 3a9 9 0 1 0 9 9h-9z';
/** complete */
export const CHECKS = 'm2 13 4 4L15 7m-3 8 2 2 8-10';
/** expired */
export const HOURGLASS =
  'M6 3h12M6 21h12M7.5 3c0 5 3 6.5 4.5 9-1.5 2.5-4.5 4-4.5 9m9-18c0 5-3 6.5-4.5 9 1.5 2.5 4.5 4 4.5 9';
/** late */
export const AFTERWARDS = 'M12 7v5l3 2M4 4v5h5M4.5 9a8.5 8.5 0 1 1-1 4.5';
/** held */
export const SHIELD = 'M12 3 4.5 6v5.5c0 4.5 3 7.5 7.5 9.5 4.5-2 7.5-5 7.5-9.5V6z';
/** failed */
export const CROSS = 'M12 3a9 9 0 1 0 .01 0zM9 9l6 6m0-6-6 6';
