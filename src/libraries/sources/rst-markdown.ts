/**
 * Converts reStructuredText to Markdown, as far as the documentation of packages needs it: sections, code, notes, links, descriptions
 * of functions and classes. Whatever else there is stays as text; nothing is included from other files.
 */

/** Directives whose content is code. */
const CODE = new Set([
  'code-block',
  'code',
  'sourcecode',
  'highlight-block',
  'parsed-literal',
  'doctest',
  'testcode',
  'ipython',
  'prompt',
  'console',
  'snippet',
]);
/** Directives that say something about the text after them; the value is how they are introduced. */
const NOTES = new Map([
  ['note', 'Note'],
  ['warning', 'Warning'],
  ['tip', 'Tip'],
  ['hint', 'Hint'],
  ['important', 'Important'],
  ['caution', 'Caution'],
  ['danger', 'Danger'],
  ['attention', 'Attention'],
  ['seealso', 'See also'],
  ['admonition', ''],
  ['topic', ''],
  ['deprecated', 'Deprecated since version'],
  ['versionadded', 'Added in version'],
  ['versionchanged', 'Changed in version'],
  ['deprecated-removed', 'Deprecated since version'],
]);
/** Directives of Sphinx that describe an item by its signature. */
const ITEMS =
  /^(?:(?:py|c|cpp|js|rst|std):)?(?:function|class|method|classmethod|staticmethod|attribute|property|data|exception|module|decorator|decoratormethod|option|setting|envvar|confval|describe|object|macro|type|member|var|directive|role|templatetag|templatefilter|django-admin|django-admin-option|fieldlookup|autofunction|autoclass|automethod|automodule|autoexception|autodata|autoattribute|command|cmdoption|program)$/;
/** Directives whose content is text like any other. */
const PLAIN = new Set([
  'container',
  'rubric',
  'compound',
  'epigraph',
  'pull-quote',
  'sidebar',
  'tabs',
  'tab',
  'tab-set',
  'tab-item',
  'only',
  'dropdown',
  'grid',
  'grid-item-card',
  'card',
  'list-table',
  'csv-table',
  'table',
  'glossary',
  'centered',
  'collapse',
]);

const UNDERLINE = /^([=\-`:.'"~^_*+#!$%&,/;<>?@\\|(){}[\]])\1*\s*$/;
const FIRST_LEVEL = 1;
const LEVEL_MAX = 6;
const NESTING_MAX = 12;
/** Longer lines are kept as they are; expressions over lines rely on it. */
const LINE_CHARS_MAX = 1_000;

/** Pure: converts a text in time linear in its length, for each level of nesting. */
export function convertRst(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', '        ').trimEnd());
  const targets = collectTargets(lines);
  const out: string[] = [];
  convertLines(lines, { out, targets, styles: [], depth: 0 });
  return out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

type Context = {
  out: string[];
  targets: ReadonlyMap<string, string>;
  /** Styles of headings in the order of their first use, which is their level. */
  styles: string[];
  depth: number;
};

/** Reads `.. _name: address`. */
function collectTargets(lines: readonly string[]): Map<string, string> {
  const targets = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', address = ''] = /^\s*\.\. _`?([^`:]+)`?:\s+(https?:\S+)$/.exec(line) ?? [];
    if (name !== '') targets.set(name.toLowerCase(), address);
  }
  return targets;
}

function convertLines(lines: readonly string[], context: Context): void {
  const { out, targets } = context;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = readHeading(lines, at, context.styles);
    const directive =
      line.length > LINE_CHARS_MAX ? null : /^(\s*)\.\. (?:\|[^|]+\| )?([\w:+-]+?)::(?:\s+(.*))?$/.exec(line);
    if (heading !== null) {
      out.push('', `${'#'.repeat(heading.level)} ${convertInline(heading.text, targets)}`, '');
      at = heading.end;
    } else if (directive !== null) at = convertDirective(lines, at, directive, context);
    else if (/^\s*\.\.(?:\s|$)/.test(line)) at = skipBlock(lines, at);
    else if (/^\s*>>> /.test(line)) at = copyDoctest(lines, at, out);
    else if (isTableRule(line)) at = copyTable(lines, at, out);
    else if (/(?:^|[^:\s]|\s):{2}$/.test(line)) at = convertLiteral(lines, at, context);
    else {
      out.push(convertInline(convertBullet(line), targets));
      at += 1;
    }
  }
}

/** A heading is a line with a line of one repeated character below it, or above and below. */
function readHeading(
  lines: readonly string[],
  at: number,
  styles: string[],
): { level: number; text: string; end: number } | null {
  const [one = '', two = '', three = ''] = [lines[at], lines[at + 1], lines[at + 2]];
  const isOver = isUnderline(one, two.trim().length) && two.trim() !== '' && one.trim() === three.trim();
  const isUnder = /^\S/.test(one) && !UNDERLINE.test(one) && isUnderline(two, one.length);
  if (!isOver && !isUnder) return null;
  const style = isOver ? `${one[0]}${one[0]}` : (two[0] ?? '');
  if (!styles.includes(style)) styles.push(style);
  const level = Math.min(LEVEL_MAX, FIRST_LEVEL + styles.indexOf(style));
  return isOver ? { level, text: two.trim(), end: at + 3 } : { level, text: one.trim(), end: at + 2 };
}

/** Writers are often a character short; a line of two or three characters may be text. */
const isUnderline = (line: string, length: number): boolean =>
  UNDERLINE.test(line) &&
  line.trim().length >= Math.max(2, Math.min(4, length)) &&
  line.trim().length >= length - 2;

function convertDirective(
  lines: readonly string[],
  at: number,
  [, indent = '', name = '', argument = '']: RegExpExecArray,
  context: Context,
): number {
  const { out, targets, depth, styles } = context;
  const end = skipBlock(lines, at);
  const { options, content } = splitOptions(dedent(lines.slice(at + 1, end)));
  const kind = name.toLowerCase();
  const nest = (part: readonly string[]): string[] => {
    const inner: string[] = [];
    if (depth < NESTING_MAX) convertLines(part, { out: inner, targets, styles, depth: depth + 1 });
    else inner.push(...part);
    return inner;
  };
  const note = NOTES.get(kind);
  if (CODE.has(kind)) {
    const language = /^[\w+-]*$/.test(argument) ? argument : '';
    out.push('', ...indentAll(fence(content, language === '' ? 'text' : language), indent), '');
  } else if (note !== undefined) {
    const label = [note, argument].filter((part) => part !== '').join(note.endsWith('version') ? ' ' : ': ');
    out.push('', `${indent}**${convertInline(label, targets)}:**`, ...indentAll(nest(content), indent), '');
  } else if (ITEMS.test(kind)) {
    const level = Math.min(LEVEL_MAX, styles.length + 1 + Math.min(1, depth));
    const signatures = [argument, ...readSignatures(content)].filter((part) => part !== '');
    const rest = content.slice(signatures.length - 1);
    for (const signature of signatures)
      out.push('', `${'#'.repeat(level)} \`${signature.replace(/\\$/, '')}\``);
    out.push('', ...nest(rest), '');
  } else if (/^(?:image|figure)$/.test(kind)) {
    const alt = options.get('alt') ?? '';
    if (alt !== '') out.push('', `${indent}${alt}`, '');
    out.push(...indentAll(nest(content), indent));
  } else if (PLAIN.has(kind)) {
    if (argument !== '') out.push('', `${indent}**${convertInline(argument, targets)}**`, '');
    out.push(...indentAll(nest(content), indent), '');
  }
  return end;
}

/** Further signatures of one item stand below the first, before the first blank line. */
function readSignatures(content: readonly string[]): string[] {
  const end = content.indexOf('');
  const first = content.slice(0, end === -1 ? content.length : end);
  return first.length > 0 && first.every((line) => /^[\w.]+\(.*\)\\?$/.test(line)) ? [...first] : [];
}

/** Returns the index behind the lines that are indented deeper than the line at `at`. */
function skipBlock(lines: readonly string[], at: number): number {
  const indent = countIndent(lines[at] ?? '');
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line !== '' && countIndent(line) <= indent) break;
    if (line !== '') end = next + 1;
  }
  return end;
}

const countIndent = (line: string): number => line.length - line.trimStart().length;

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line !== '').map(countIndent);
  const least = indents.length === 0 ? 0 : indents.reduce((one, other) => Math.min(one, other));
  return lines.map((line) => line.slice(least));
}

const indentAll = (lines: readonly string[], indent: string): string[] =>
  lines.map((line) => (line === '' ? '' : `${indent}${line}`));

const cutLine = (line: string | undefined): string => (line ?? '').slice(0, LINE_CHARS_MAX);

/** Splits `:name: value` lines off the beginning of a directive's content. */
function splitOptions(lines: readonly string[]): { options: Map<string, string>; content: string[] } {
  const options = new Map<string, string>();
  let at = 0;
  for (; at < lines.length; at += 1) {
    const [, name = '', value = ''] = /^:([\w-]+):\s*(.*)$/.exec(cutLine(lines[at])) ?? [];
    if (name === '') break;
    options.set(name, value);
  }
  const content = lines.slice(at);
  while (content[0] === '') content.shift();
  while (content.at(-1) === '') content.pop();
  return { options, content };
}

function fence(lines: readonly string[], language: string): string[] {
  const longest = lines.reduce((most, line) => Math.max(most, /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 2), 2);
  const mark = '`'.repeat(longest + 1);
  return [`${mark}${language}`, ...lines, mark];
}

/** A paragraph that ends with `::` introduces code. */
function convertLiteral(lines: readonly string[], at: number, { out, targets }: Context): number {
  const line = lines[at] ?? '';
  const lead = line.replace(/::$/, /\S::$/.test(line) ? ':' : '').trimEnd();
  if (lead.trim() !== '' && lead.trim() !== ':') out.push(convertInline(convertBullet(lead), targets));
  const end = skipBlock(lines, at);
  const content = splitOptions(dedent(lines.slice(at + 1, end))).content;
  if (content.length === 0) return at + 1;
  out.push('', ...fence(content, ''), '');
  return end;
}

function copyDoctest(lines: readonly string[], at: number, out: string[]): number {
  let end = at;
  while (end < lines.length && lines[end] !== '') end += 1;
  out.push('', ...fence(dedent(lines.slice(at, end)), 'pycon'), '');
  return end;
}

const isTableRule = (line: string): boolean => /^\s*(?:\+[-=+]+\+|={2,}(?: +={2,})+)$/.test(line);

/** Tables stay as they are drawn, which Markdown shows as code. */
function copyTable(lines: readonly string[], at: number, out: string[]): number {
  const isGrid = /^\s*\+/.test(lines[at] ?? '');
  let end = at + 1;
  if (isGrid) while (/^\s*[+|]/.test(lines[end] ?? '')) end += 1;
  else {
    let rules = 1;
    // The third rule ends a table with a head, the second one without; a blank line follows the last.
    for (; end < lines.length; end += 1) {
      if (isTableRule(lines[end] ?? '')) rules += 1;
      if (rules >= 2 && isTableRule(lines[end] ?? '') && (lines[end + 1] ?? '') === '') break;
      if ((lines[end] ?? '') === '' && rules >= 3) break;
    }
    end = Math.min(lines.length, end + 1);
  }
  out.push(
    '',
    ...fence(
      dedent(lines.slice(at, end)).map((line) => convertRoles(line)),
      'text',
    ),
    '',
  );
  return end;
}

const convertBullet = (line: string): string =>
  line.replace(/^(\s*)(?:[+•]|#\.)(?=\s)/, '$1-').replace(/^(\s*)\|(?=\s|$)/, '$1');

/** `:ref:`text <target>`` and `:func:`~a.b`` to their texts. */
function convertRoles(line: string): string {
  return line
    .replace(/:[\w+-]+(?::[\w+-]+)*:`([^`<]*)<[^`>]*>`/g, (_, text: string) => text.trim())
    .replace(
      /:(?:doc|ref|term|abbr|sup|sub|numref|pep|rfc|issue|user|pr|gh|ticket|guilabel|menuselection):`~?([^`]*)`/g,
      '$1',
    )
    .replace(/:[\w+-]+(?::[\w+-]+)*:`([^`]*)`/g, (_, text: string) => {
      const name = text.startsWith('~') ? (text.slice(1).split('.').at(-1) ?? '') : text.replace(/^!/, '');
      return `\`${name}\``;
    });
}

function convertInline(line: string, targets: ReadonlyMap<string, string>): string {
  if (line.length > LINE_CHARS_MAX || !/[`|_\\:]/.test(line)) return line;
  // Code is set aside, so that nothing in it is changed.
  const code: string[] = [];
  const masked = line.replace(/``(.+?)``/g, (_, text: string) => {
    code.push(text);
    return `\ue000${code.length - 1}\ue001`;
  });
  return convertRoles(masked)
    .replace(
      /`([^`<]*)<(https?:[^`>\s]+)>`__?/g,
      (_, text: string, url: string) => `[${text.trim()}](${url})`,
    )
    .replace(/`([^`<]*)<[^`>]*>`__?/g, (_, text: string) => text.trim())
    .replace(/`([^`]+)`__?(?!\w)/g, (_, text: string) => linkTarget(text, targets))
    .replace(/(?<![\w`])([A-Za-z][\w.-]*[A-Za-z0-9])__?(?![\w`(])/g, (whole, text: string) =>
      targets.has(text.toLowerCase()) ? linkTarget(text, targets) : whole,
    )
    .replace(/\|([^|\s](?:[^|]*[^|\s])?)\|_{0,2}/g, '$1')
    .replace(/\\([ *`_|\\<>])/g, (_, escaped: string) => (escaped === ' ' ? '' : escaped))
    .replace(/\ue000(\d+)\ue001/g, (_, index: string) => wrapCode(code[Number(index)] ?? ''));
}

function linkTarget(text: string, targets: ReadonlyMap<string, string>): string {
  const address = targets.get(text.toLowerCase());
  return address === undefined ? text : `[${text}](${address})`;
}

const wrapCode = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
