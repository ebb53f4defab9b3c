/** Headers whose repeated lines stay separate, because a line that names a bot replaces the others for that bot. */
const SEPARATE_LINES = new Set(['x-robots-tag']);

/**
 * Joins headers by lower-case name. Repeated headers are joined with ", ", those in SEPARATE_LINES with a line break.
 */
export function joinHeaders(lines: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of lines) {
    const lowerCase = name.toLowerCase();
    const before = joined[lowerCase];
    const separator = SEPARATE_LINES.has(lowerCase) ? '\n' : ', ';
    joined[lowerCase] = before === undefined ? value : before + separator + value;
  }
  return joined;
}
