/** A regular expression as a tree; `source` of an atom is the text of what matches one character. */
export type RegexNode =
  | { kind: 'atom'; source: string }
  | { kind: 'sequence'; items: RegexNode[] }
  | { kind: 'choice'; options: RegexNode[] }
  | { kind: 'repeat'; body: RegexNode; min: number; max: number }
  | { kind: 'look'; behind: boolean; negated: boolean; body: RegexNode }
  | { kind: 'boundary'; at: '^' | '$' | 'b' | 'B' }
  | { kind: 'reference'; name: string };

/** The tree, and the groups that references name. */
export type ParsedRegex = { root: RegexNode; groups: Map<string, RegexNode> };

/** Parses an expression that the engine has accepted, so that only its structure matters. */
export function parseRegex({ source, flags }: Pick<RegExp, 'source' | 'flags'>): ParsedRegex {
  const parser = new Parser(source, flags);
  return { root: parser.choice(), groups: parser.groups };
}

/** Escapes that stand for one character and take more than one letter. */
const LONG_ESCAPE =
  /\\(?:x[\da-f]{2}|u\{[\da-f]+\}|u[\da-f]{4}|c[a-z]|[pP]\{[^}]*\}|k<[^>]+>|[1-9]\d*|.)/isuy;

class Parser {
  readonly groups = new Map<string, RegexNode>();
  private at = 0;
  private opened = 0;
  private readonly source: string;
  private readonly byCodePoint: boolean;
  private readonly nestedClasses: boolean;

  constructor(source: string, flags: string) {
    this.source = source;
    this.byCodePoint = /[uv]/.test(flags);
    this.nestedClasses = flags.includes('v');
  }

  choice(): RegexNode {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  private sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at] ?? '')) items.push(this.term());
    return items.length === 1 ? (items[0] as RegexNode) : { kind: 'sequence', items };
  }

  private term(): RegexNode {
    let node = this.unit();
    for (let bounds = this.quantifier(); bounds !== null; bounds = this.quantifier())
      node = { kind: 'repeat', body: node, ...bounds };
    return node;
  }

  private unit(): RegexNode {
    if (this.take('^')) return { kind: 'boundary', at: '^' };
    if (this.take('$')) return { kind: 'boundary', at: '$' };
    if (this.source[this.at] === '(') return this.group();
    if (this.source[this.at] === '[') return { kind: 'atom', source: this.bracket() };
    if (this.source[this.at] === '\\') return this.escape();
    const char = this.byCodePoint
      ? String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)
      : (this.source[this.at] ?? '');
    this.at += char.length;
    return { kind: 'atom', source: char };
  }

  private escape(): RegexNode {
    const text = this.match(LONG_ESCAPE) ?? '\\';
    if (text === '\\b' || text === '\\B') return { kind: 'boundary', at: text === '\\b' ? 'b' : 'B' };
    if (/^\\[1-9]/.test(text)) return { kind: 'reference', name: text.slice(1) };
    if (text.startsWith('\\k<')) return { kind: 'reference', name: text.slice(3, -1) };
    return { kind: 'atom', source: text };
  }

  private group(): RegexNode {
    const head = this.match(/\((?:\?(?:[:=!]|<[=!]|<([^>]+)>|[a-z]*(?:-[a-z]+)?:))?/y) ?? '(';
    const name = /^\(\?<([^=!][^>]*)>$/.exec(head)?.[1];
    const number = head === '(' || name !== undefined ? String(++this.opened) : null;
    const body = this.choice();
    this.take(')');
    if (number !== null) this.groups.set(number, body);
    if (name !== undefined) this.groups.set(name, body);
    if (!/^\(\?<?[=!]$/.test(head)) return body;
    return { kind: 'look', behind: head.includes('<'), negated: head.endsWith('!'), body };
  }

  /** A class with its brackets; under the `v` flag classes nest. */
  private bracket(): string {
    const start = this.at;
    let depth = 0;
    do {
      const char = this.source[this.at];
      if (char === '\\') this.at += 1;
      else if (char === '[' && (depth === 0 || this.nestedClasses)) depth += 1;
      else if (char === ']') depth -= 1;
      this.at += 1;
    } while (depth > 0 && this.at < this.source.length);
    return this.source.slice(start, this.at);
  }

  private quantifier(): { min: number; max: number } | null {
    const text = this.match(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (text === null) return null;
    if (text.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (text.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (text.startsWith('?')) return { min: 0, max: 1 };
    const [, least = '0', comma, most] = /\{(\d+)(,(\d*))?/.exec(text) ?? [];
    if (comma === undefined) return { min: Number(least), max: Number(least) };
    return { min: Number(least), max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  private take(char: string): boolean {
    if (this.source[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source)?.[0] ?? null;
    this.at += text?.length ?? 0;
    return text;
  }
}
