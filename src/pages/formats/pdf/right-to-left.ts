/** Hebrew, Arabic and the scripts between them. */
export const isRightToLeft = (code: number): boolean =>
  (code >= 0x590 && code < 0x900) || (code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00);
