const LINES_MAX = 400_000;
/** How far from its heading the address of a section stands. */
export const MARK_LINES = 4;

/** A line that names the page of a section: `Source: https://…`, `url: /docs/x`, `# Title (/docs/x)`. */
const NAMED =
  /^\s{0,3}(?:<?(?:source|url|link|canonical|permalink|page|href)\b["'>]?\s{0,3}[:=]\s{0,3}|#\s[^\n]{0,300}\()["'<]?((?:https?:\/\/|\/)[^\s"'<>)]{1,2000})/i;

/** The address that a line names as that of its section; null if it names none. */
export function addressNamed(line: string): string | null {
  return line.length > 3_000 ? null : (NAMED.exec(line)?.[1] ?? null);
}

/**
 * The section of a site's `llms-full.txt` that holds the text of `page`, or null. Its generators write the pages one after
 * another and the address of each next to its heading.
 */
export function sectionOf(text: string, page: string): string | null {
  const lines = text.split(/\r?\n/, LINES_MAX);
  const marks = lines.flatMap((line, at) => {
    const address = addressNamed(line);
    return address === null ? [] : [{ at, address }];
  });
  const own = marks.findIndex(({ address }) => samePage(address, page));
  const mark = marks[own];
  if (mark === undefined) return null;
  const from = headingAbove(lines, mark.at);
  const next = marks.slice(own + 1).find(({ at }) => headingAbove(lines, at) > mark.at);
  const section = lines.slice(from, next === undefined ? lines.length : headingAbove(lines, next.at));
  return section
    .filter((_line, at) => at + from !== mark.at || /^#/.test(lines[mark.at] ?? ''))
    .join('\n')
    .replace(/\n(?:-{3,}|={3,})\s*$/, '')
    .trim();
}

/** Whether a line can be the first of a section: a heading, the beginning of front matter, an element. */
export const beginsSection = (line: string): boolean => /^#\s|^---\s*$|^<(?:doc|page|document)\b/.test(line);

/** The line of the heading (or of the front matter's beginning) just above a line, else the line itself. */
function headingAbove(lines: readonly string[], at: number): number {
  for (let line = at; line >= Math.max(0, at - MARK_LINES); line -= 1)
    if (beginsSection(lines[line] ?? '')) return line;
  return at;
}

function samePage(address: string, page: string): boolean {
  const one = URL.parse(address, page);
  const other = URL.parse(page);
  if (one === null || other === null) return false;
  return one.hostname === other.hostname && barePath(one.pathname) === barePath(other.pathname);
}

const barePath = (path: string): string =>
  path.replace(/(?:\.(?:mdx?|html?))?\/?$/, '').replace(/\/index$/, '');
