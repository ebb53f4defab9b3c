/** Returns a span without the white space at its ends. */
export function trimSpan(
  text: string,
  { start, end }: { start: number; end: number },
): { start: number; end: number } {
  const slice = text.slice(start, end);
  const first = start + slice.length - slice.trimStart().length;
  return { start: first, end: Math.max(first, start + slice.trimEnd().length) };
}
