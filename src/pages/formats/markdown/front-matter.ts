/** The fields of a page's front matter by lower-case name; the values of a list are joined by commas. */
type FrontMatter = Map<string, string>;

const CHARS_MAX = 20_000;

/** Splits off front matter at the very start (YAML between `---`, TOML between `+++`): its top-level fields, and the text after it. */
export function splitFrontMatter(text: string): { matter: FrontMatter; body: string } {
  const none = { matter: new Map(), body: text };
  const mark = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (mark === null) return none;
  const end = text.slice(0, CHARS_MAX).indexOf(`\n${mark[1]}`, mark[0].length - 1);
  const rest = end === -1 ? '' : text.slice(end + 4);
  if (end === -1 || !/^[ \t]*(?:\n|$)/.test(rest)) return none;
  const lines = text.slice(mark[0].length, end).split('\n');
  const matter = parseFields(lines);
  const isMatter = lines.some((line) => /^[\w-]+(?::(?:\s|$)|\s*=)/.test(line));
  return isMatter ? { matter, body: rest } : none;
}

function parseFields(lines: readonly string[]): FrontMatter {
  const fields: FrontMatter = new Map();
  let name = '';
  for (const line of lines) {
    const field =
      /^([\w-]{1,60}):(?:[ \t]+(\S.*))?$/.exec(line) ?? /^([\w-]{1,60})\s{0,9}=\s{0,9}(\S.*)$/.exec(line);
    const item = /^\s{0,9}-\s{1,9}(?:name:\s{1,9})?(\S.*)$/.exec(line)?.[1];
    if (field?.[1] !== undefined) {
      name = field[1].toLowerCase();
      addField(fields, name, field[2] ?? '');
    } else if (item !== undefined && name !== '') addField(fields, name, item);
  }
  return fields;
}

function addField(fields: FrontMatter, name: string, written: string): void {
  const text = written.trim();
  // A block's text follows on its own lines, and an object is no plain field: both are skipped.
  if (/^[{|>&!]/.test(text)) return;
  const items = /^\[(.*)\]$/.exec(text)?.[1]?.split(',') ?? [text];
  for (const item of items.map((one) => unquote(one.trim())).filter((one) => one !== '')) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? item : `${known}, ${item}`);
  }
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1/.exec(text);
  return quoted === null ? (text.split(' #')[0] ?? '').trim() : (quoted[2] ?? '');
}
