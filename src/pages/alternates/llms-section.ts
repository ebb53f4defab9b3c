const LINES_MAX = 400_000;
/** Maximum distance, in lines, between the heading of a section and the line with its address. */
export const MARK_LINES = 4;

/** Matches a line that names the page of a section: `Source: https://…`, `url: /docs/x`, `# Title (/docs/x)`. */
const NAMED =
  /^\s{0,3}(?:<?(?:source|url|link|canonical|permalink|page|href)\b["'>]?\s{0,3}[:=]\s{0,3}|#\s[^\n]{0,300}\()["'<]?((?:https?:\/\/|\/)[^\s"'<>)]{1,2000})/i;

/** Returns the address that a line names as that of its section; null if it names none. */
export function parseSectionAddress(line: string): string | null {
  return line.length > 3_000 ? null : (NAMED.exec(line)?.[1] ?? null);
}

/**
 * Returns the section of a site's `llms-full.txt` that holds the text of `page`, or null. Generators write the pages one after another,
 * with the address of each next to its heading.
 */
export function findSection(text: string, page: string): string | null {
  const lines = text.split(/\r?\n/, LINES_MAX);
  const marks = lines.flatMap((line, at) => {
    const address = parseSectionAddress(line);
    return address === null ? [] : [{ at, address }];
  });
  const own = marks.findIndex(({ address }) => isSamePage(address, page));
  const mark = marks[own];
  if (mark === undefined) return null;
  const from = findHeadingAbove(lines, mark.at);
  const next = marks.slice(own + 1).find(({ at }) => findHeadingAbove(lines, at) > mark.at);
  const section = lines.slice(from, next === undefined ? lines.length : findHeadingAbove(lines, next.at));
  return section
    .filter((_line, at) => at + from !== mark.at || /^#/.test(lines[mark.at] ?? ''))
    .join('\n')
    .replace(/\n(?:-{3,}|={3,})\s*$/, '')
    .trim();
}

/** Checks whether a line can be the first of a section: a heading, the beginning of front matter, an element. */
export const isSectionStart = (line: string): boolean => /^#\s|^---\s*$|^<(?:doc|page|document)\b/.test(line);

/** Returns the line of the heading (or of the beginning of front matter) just above a line, else the line itself. */
function findHeadingAbove(lines: readonly string[], at: number): number {
  for (let line = at; line >= Math.max(0, at - MARK_LINES); line -= 1)
    if (isSectionStart(lines[line] ?? '')) return line;
  return at;
}

function isSamePage(address: string, page: string): boolean {
  const one = URL.parse(address, page);
  const other = URL.parse(page);
  if (one === null || other === null) return false;
  return one.hostname === other.hostname && toBarePath(one.pathname) === toBarePath(other.pathname);
}

const toBarePath = (path: string): string =>
  path.replace(/(?:\.(?:mdx?|html?))?\/?$/, '').replace(/\/index$/, '');
