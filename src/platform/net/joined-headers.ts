/** If one of these headers names a bot, only that header applies to it, so they must stay apart. */
const SEPARATE_LINES = new Set(['x-robots-tag']);

/**
 * Headers by their names in lower case. One that is repeated is joined with ", ", those of SEPARATE_LINES with a line break.
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
