/**
 * Converts Python docstrings to Markdown. Their sections stay readable whichever of the three customs they follow: Google (`Args:`),
 * NumPy (`Parameters` over dashes) and reStructuredText (`:param x:`). Doctests and literal blocks become fenced code.
 */

import { LIMITS } from '../source-reader.ts';
import { type Comment, countIndent, dedent, fitMarkdown } from './markdown-comment.ts';

const GOOGLE_SECTION =
  /^(Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Returns?|Yields?|Receives?|Raises|Except|Exceptions|Warns|Attributes|Methods|Examples?|Notes?|References|See Also|Todo|Warnings?|Tips?|Usage|Side Effects|Deprecated):$/;
const ENTRY_SECTIONS =
  /^(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Raises|Except|Exceptions|Warns|Attributes|Methods|Returns?|Yields?|Receives?|See Also)$/;
const GOOGLE_ENTRY = /^([*\w][\w*., |[\]]{0,120}(?:\([^()\n]{0,200}\))?):(.*)$/;
const UNDERLINE = /^([-=~^"'#*+])\1{2,}\s*$/;
const FIELD =
  /^:(param|parameter|arg|argument|key|keyword|type|raises?|except|exception|returns?|rtype|yields?|ytype|var|ivar|cvar|vartype|meta)(?: ([^:\n]+))?:(.*)$/;
const DIRECTIVE = /^\.\. ([\w:-]+)::(?: (.*))?$/;
const ROLE = /:(?:[\w+.-]+:)?[\w+-]+:`[~!]?([^`<>]+)`/g;
/** `:ref:`what is shown <target>`` */
const TITLED_ROLE = /:(?:[\w+.-]+:)?[\w+-]+:`([^`<>]+)<[^`<>]+>`/g;
const CODE_DIRECTIVE =
  /^(?:code-block|code|sourcecode|ipython|parsed-literal|doctest|testcode|highlight|prompt|literalinclude)$/;

const INDENT_MAX = 3;

const FIELD_TITLES: [RegExp, string][] = [
  [/^(?:param|parameter|arg|argument|key|keyword)$/, 'Parameters'],
  [/^(?:raises?|except|exception)$/, 'Raises'],
  [/^(?:returns?)$/, 'Returns'],
  [/^(?:yields?)$/, 'Yields'],
  [/^(?:var|ivar|cvar)$/, 'Attributes'],
];

type Writer = { lines: string[]; fieldTitle: string | null; deprecated: string | null };

export function convertDocstring(text: string): Comment {
  const writer = convertLines(dedent(text.slice(0, LIMITS.docCharsMax)));
  return {
    docs: fitMarkdown(collapseEmptyLines(writer.lines)),
    deprecated: writer.deprecated,
    isInternal: false,
  };
}

/** Converts the block at `place` and returns the place behind it. Every branch moves forward. */
function convertBlock(lines: readonly string[], place: number, writer: Writer): number {
  const line = lines[place] ?? '';
  const trimmed = line.trim();
  if (trimmed.startsWith('>>>')) return convertDoctest(lines, place, writer);
  if (trimmed.startsWith('```')) return copyFence(lines, place, writer);
  const [, directive, argument = ''] = DIRECTIVE.exec(trimmed) ?? [];
  if (directive !== undefined)
    return convertDirective(lines, place, { directive, argument: argument.trim(), writer });
  if (/^\.\. (?:_|\[)/.test(trimmed) || trimmed === '..')
    return skipIndented(lines, place + 1, countIndent(line));
  const field = FIELD.exec(trimmed);
  if (field !== null) return convertField(lines, place, field, writer);
  writer.fieldTitle = null;
  const section = GOOGLE_SECTION.exec(trimmed)?.[1];
  if (section !== undefined && isIndented(lines, place + 1, countIndent(line)))
    return convertSection(lines, place + 1, {
      title: section,
      indent: countIndent(line),
      isNumpy: false,
      writer,
    });
  if (trimmed !== '' && UNDERLINE.test((lines[place + 1] ?? '').trim()) && isUnderlined(lines, place))
    return convertSection(lines, place + 2, {
      title: trimmed,
      indent: countIndent(line),
      isNumpy: true,
      writer,
    });
  if (trimmed.endsWith('::')) {
    const lead = trimmed.slice(0, -2).trimEnd();
    writer.lines.push(
      lead === '' ? '' : `${convertInline(' '.repeat(Math.min(countIndent(line), 3)) + lead)}:`,
    );
    return convertLiteral(lines, place + 1, countIndent(line), writer);
  }
  // Four blanks or more would make code of it.
  writer.lines.push(convertInline(' '.repeat(Math.min(countIndent(line), INDENT_MAX)) + trimmed));
  return place + 1;
}

function isUnderlined(lines: readonly string[], place: number): boolean {
  const [title, underline] = [(lines[place] ?? '').trim(), (lines[place + 1] ?? '').trim()];
  return underline.length >= title.length - 2 && underline.length <= title.length + 20;
}

function isIndented(lines: readonly string[], place: number, indent: number): boolean {
  const next = lines.slice(place, place + 2).find((line) => line.trim() !== '');
  return next !== undefined && countIndent(next) > indent;
}

/** Finds where the lines end that are indented deeper than `indent`, over empty lines. */
function skipIndented(lines: readonly string[], place: number, indent: number): number {
  let end = place;
  for (let next = place; next < lines.length; next++) {
    const line = lines[next] ?? '';
    if (line.trim() === '') continue;
    if (countIndent(line) <= indent) break;
    end = next + 1;
  }
  return end;
}

function convertDoctest(lines: readonly string[], place: number, writer: Writer): number {
  const indent = countIndent(lines[place] ?? '');
  writer.lines.push('', '```python');
  let next = place;
  while (next < lines.length && (lines[next] ?? '').trim() !== '') {
    writer.lines.push((lines[next] ?? '').slice(indent));
    next += 1;
  }
  writer.lines.push('```', '');
  return next;
}

function copyFence(lines: readonly string[], place: number, writer: Writer): number {
  const indent = countIndent(lines[place] ?? '');
  writer.lines.push('', (lines[place] ?? '').trim());
  let next = place + 1;
  while (next < lines.length && !(lines[next] ?? '').trim().startsWith('```')) {
    const line = lines[next] ?? '';
    writer.lines.push(line.slice(Math.min(indent, countIndent(line))));
    next += 1;
  }
  writer.lines.push('```', '');
  return next + 1;
}

function convertLiteral(lines: readonly string[], place: number, indent: number, writer: Writer): number {
  const end = skipIndented(lines, place, indent);
  const code = lines.slice(place, end);
  if (code.every((line) => line.trim() === '')) return Math.max(place, end);
  writer.lines.push('', '```', dedent(`\n${code.join('\n')}`), '```', '');
  return end;
}

function convertDirective(
  lines: readonly string[],
  place: number,
  { directive, argument, writer }: { directive: string; argument: string; writer: Writer },
): number {
  const indent = countIndent(lines[place] ?? '');
  const end = skipIndented(lines, place + 1, indent);
  const body = dedent(`\n${lines.slice(place + 1, end).join('\n')}`);
  const content = body.replace(/^(?::[\w-]+:[^\n]*\n?)+/, '').trim();
  if (CODE_DIRECTIVE.test(directive)) {
    const language = /^[\w+-]+$/.test(argument) ? argument : '';
    if (content !== '') writer.lines.push('', `\`\`\`${language}`, content.replaceAll('```', ''), '```', '');
  } else if (directive === 'deprecated') {
    writer.deprecated = convertInline(
      [argument === '' ? '' : `since ${argument}:`, content]
        .filter((part) => part !== '')
        .join(' ')
        .replaceAll('\n', ' '),
    );
  } else if (/^version(?:added|changed|removed)$/.test(directive)) {
    const word = { versionadded: 'New', versionchanged: 'Changed' }[directive] ?? 'Removed';
    const [version = '', ...said] = argument.split(' ');
    const what = [said.join(' '), content]
      .filter((part) => part !== '')
      .join(' ')
      .replaceAll('\n', ' ');
    writer.lines.push(
      '',
      `${word} in version ${version}${what === '' ? '.' : `: ${convertInline(what)}`}`,
      '',
    );
  } else if (
    /^(?:note|warning|tip|important|caution|attention|danger|hint|seealso|admonition|todo)$/.test(directive)
  ) {
    const title = directive === 'seealso' ? 'See also' : directive[0]?.toUpperCase() + directive.slice(1);
    writer.lines.push('', `**${directive === 'admonition' ? argument : title}**`, '');
    if (directive !== 'admonition' && argument !== '') writer.lines.push(convertInline(argument));
    for (const line of convertLines(content).lines) writer.lines.push(line);
    writer.lines.push('');
  } else if (
    content !== '' &&
    !/^(?:autosummary|auto\w+|index|toctree|currentmodule|module|plot|image|figure|only|raw|math|rubric|role|default-role|contents)$/.test(
      directive,
    )
  ) {
    writer.lines.push('');
    for (const line of convertLines(content).lines) writer.lines.push(line);
    writer.lines.push('');
  }
  return end;
}

/** Converts a docstring, or what stands inside a directive or section, which is indented less each time. */
function convertLines(text: string): Writer {
  const lines = text.split('\n');
  const writer: Writer = { lines: [], fieldTitle: null, deprecated: null };
  let place = 0;
  while (place < lines.length) place = convertBlock(lines, place, writer);
  return writer;
}

function convertField(
  lines: readonly string[],
  place: number,
  field: RegExpExecArray,
  writer: Writer,
): number {
  const [, word = '', name = '', first = ''] = field;
  const indent = countIndent(lines[place] ?? '');
  const end = skipIndented(lines, place + 1, indent);
  const text = [first, ...lines.slice(place + 1, end).map((line) => line.trim())].join(' ').trim();
  if (word === 'rtype' || word === 'ytype') writer.lines.push('', `**Return type** ${formatCode(text)}`, '');
  const title = FIELD_TITLES.find(([words]) => words.test(word))?.[1];
  // `:type x:` repeats what the signature shows, and `:meta:` is for the tool.
  if (title === undefined) return Math.max(end, place + 1);
  if (title === 'Returns' || title === 'Yields') {
    writer.lines.push('', `**${title}** ${convertInline(text)}`, '');
    writer.fieldTitle = null;
    return Math.max(end, place + 1);
  }
  if (writer.fieldTitle !== title) writer.lines.push('', `**${title}**`, '');
  writer.fieldTitle = title;
  writer.lines.push(`- ${formatCode(name.trim())}${text === '' ? '' : `: ${convertInline(text)}`}`);
  return Math.max(end, place + 1);
}

type Section = { title: string; indent: number; isNumpy: boolean; writer: Writer };

/** A Google section is indented below its title; one of NumPy ends at the next underlined title. */
function convertSection(
  lines: readonly string[],
  place: number,
  { title, indent, isNumpy, writer }: Section,
): number {
  const end = isNumpy ? findNextUnderlined(lines, place) : skipIndented(lines, place, indent);
  const body = dedent(`\n${lines.slice(place, end).join('\n')}`);
  writer.lines.push('', `**${title}**`, '');
  const written = !ENTRY_SECTIONS.test(title)
    ? convertLines(body).lines
    : isNumpy
      ? writeNumpyEntries(body)
      : writeGoogleEntries(body);
  for (const line of written) writer.lines.push(line);
  writer.lines.push('');
  return end;
}

function findNextUnderlined(lines: readonly string[], place: number): number {
  for (let next = place; next < lines.length; next++) {
    const isTitle = (lines[next] ?? '').trim() !== '' && UNDERLINE.test((lines[next + 1] ?? '').trim());
    if (isTitle && isUnderlined(lines, next)) return next;
  }
  return lines.length;
}

function writeGoogleEntries(body: string): string[] {
  return body.split('\n').map((line) => {
    if (line.trim() === '') return '';
    const [, name, rest = ''] = (countIndent(line) === 0 ? GOOGLE_ENTRY.exec(line) : null) ?? [];
    const what = rest.trim();
    if (name !== undefined) return `- ${formatCode(name)}${what === '' ? '' : `: ${convertInline(what)}`}`;
    return countIndent(line) === 0 ? convertInline(line) : `  ${convertInline(line.trim())}`;
  });
}

/** `x : int` over an indented description. */
function writeNumpyEntries(body: string): string[] {
  const lines = body.split('\n');
  return lines.map((line, index) => {
    if (line.trim() === '') return '';
    if (countIndent(line) > 0) return `  ${convertInline(line.trim())}`;
    const next = lines.slice(index + 1).find((following) => following.trim() !== '');
    const isEntry =
      / : /.test(line) || (next !== undefined && countIndent(next) > 0) || /^[\w.*, ]+$/.test(line);
    if (!isEntry) return convertInline(line);
    const at = line.indexOf(' : ');
    if (at === -1) return `- ${formatCode(line.trim())}`;
    return `- ${formatCode(line.slice(0, at).trim())} (${convertInline(line.slice(at + 3).trim())})`;
  });
}

function formatCode(text: string): string {
  const bare = text.replaceAll('`', '');
  return bare === '' ? '' : `\`${bare}\``;
}

/** Roles and double backticks become code, roles with a title that title; `text <url>`_ becomes a link. */
function convertInline(text: string): string {
  return text
    .replace(
      /`([^`<>]+)<(https?:\/\/[^`<>\s]+)>`__?/g,
      (_, label: string, url: string) => `[${label.trim()}](${url})`,
    )
    .replace(TITLED_ROLE, (_, title: string) => title.trim())
    .replace(ROLE, (_, name: string) => `\`${name.trim()}\``)
    .replace(/``([^`]+)``/g, '`$1`')
    .replace(/`([^`]+)`__?(?!\w)/g, '$1')
    .replace(/\\([*_`|])/g, '$1');
}

function collapseEmptyLines(lines: readonly string[]): string {
  return lines
    .join('\n')
    .split('\n')
    .filter((line, index, all) => line.trim() !== '' || (all[index - 1] ?? '').trim() !== '')
    .join('\n');
}
