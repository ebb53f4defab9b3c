/** References of first grants begin so; the key that was issued follows. No other grant may. */
export const ISSUE_REF = 'issue:';
