/**
 * Copies a text, so that a cached part of a page does not keep the whole page in memory: a slice refers to the string it was cut
 * from. Property names are always copied, and equal names share one string.
 */
export function copyString(text: string): string {
  const [copy = ''] = Object.keys({ [text]: true });
  return copy;
}
