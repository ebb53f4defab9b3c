/** An answer is quoted from this confidence on unless an operator sets another; chosen with npm run train:answer. */
export const SCORE_MIN = 0.7;
