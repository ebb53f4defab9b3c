import { isElement, type TreeElement } from '../../table-shape.ts';

/** Patterns of classes that name a language, most explicit first. */
const CLASS_PATTERNS = [
  /(?:^|\s)(?:language|lang)-([\w+#.-]+)/i,
  /(?:^|\s)highlight-(?:source-|text-)?([\w+#.-]+)/i,
  /(?:^|\s)brush:\s*([\w+#.-]+)/i,
];
/** Patterns of words beside names of highlighters; they count only when they are known languages. */
const LOOSE_PATTERNS = [
  /(?:^|\s)(?:syntaxhighlighter|type-?)\s*([a-z][\w+#.-]*)/,
  /(?:^|\s)(?:sourceCode|hljs|code|programlisting|highlight|prettyprint|wp-block-code)\s+([a-z][\w+#.-]*)/,
  /(?:^|\s)([a-z][\w+#.-]*)\s+(?:sourceCode|hljs)(?=\s|$)/,
];
/** Words in those places that do not name a language. */
const NO_LANGUAGE =
  /^(?:default|none|text|txt|plain\w*|notranslate|nohighlight|no-?highlight|undefined|null|auto|code|source|hljs|highlight|highlighter\S*|line-?numbers?|linenums\S*|wrap|numbersource|numbering|sourcecode|prettyprint\w*|copy\S*|block\S*|dark|light|literal-block|screen|syntax\S*|match-braces|lang)$/i;
const ALIASES: Record<string, string> = {
  python3: 'python',
  pycon3: 'pycon',
  ipython3: 'python',
  ipython: 'python',
  'c++': 'cpp',
  shell: 'sh',
  'source-shell': 'sh',
};
const ATTRIBUTES = [
  'data-lang',
  'data-language',
  'data-code-language',
  'data-enlighter-language',
  'lang-name',
];
const TABLE_TAGS = new Set(['td', 'tr', 'tbody', 'table']);
const LEVELS_ABOVE = 3;
/** Maximum nodes in a wrapper around code; a larger element is a section. */
const WRAPPER_NODES_MAX = 20;

/** Detects the language of a code block, in lower case, or ''; it is named on the code, on `pre` or on a wrapper around them. */
export function detectCodeLanguage(pre: TreeElement): string {
  const inner = pre.children.filter(isElement).filter(({ tag }) => tag === 'code');
  const places: TreeElement[] = [...inner, pre];
  for (
    let above = pre.parent;
    above !== null && places.length < LEVELS_ABOVE + 1 + inner.length;
    above = above.parent
  ) {
    if (above.children.length > WRAPPER_NODES_MAX || above.children.filter(isElement).length > 5) break;
    if (!TABLE_TAGS.has(above.tag) || above.tag === 'table') places.push(above);
  }
  for (const place of places) {
    const language = readLanguage(place);
    if (language !== null) return language;
  }
  return '';
}

function readLanguage({ attributes }: TreeElement): string | null {
  for (const attribute of ATTRIBUTES) {
    const language = normalizeLanguage(attributes[attribute]);
    if (language !== null) return language;
  }
  for (const pattern of CLASS_PATTERNS) {
    const language = normalizeLanguage(pattern.exec(attributes.class ?? '')?.[1]);
    if (language !== null) return language;
  }
  const brush = /brush:\s*([\w+#.-]+)/i.exec(attributes['data-syntaxhighlighter-params'] ?? '')?.[1];
  if (brush !== undefined) return normalizeLanguage(brush);
  for (const pattern of LOOSE_PATTERNS) {
    const word = pattern.exec(attributes.class ?? '')?.[1] ?? '';
    if (parseLanguageLabel(word) !== null) return normalizeLanguage(word);
  }
  return null;
}

function normalizeLanguage(word: string | undefined): string | null {
  const language = word?.trim().toLowerCase() ?? '';
  if (!/^[a-z][\w+#.-]{0,24}$/.test(language) || NO_LANGUAGE.test(language)) return null;
  return Object.hasOwn(ALIASES, language) ? (ALIASES[language] ?? language) : language;
}

/** Names of languages in labels of code. */
const NAMES =
  'ada apache applescript asciidoc asm assembly awk bash bat batch c clojure cmake coffeescript console cpp crystal cs csharp css ' +
  'csv cuda d dart diff docker dockerfile elixir elm erlang fish fortran fsharp gdscript glsl go golang gradle graphql ' +
  'groovy haml handlebars haskell haxe hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex less ' +
  'liquid lisp log lua make makefile markdown matlab md mdx mermaid mysql nginx nim nix objc objectivec ocaml pascal perl ' +
  'php plaintext plpgsql postgresql powershell ps1 prisma prolog properties proto protobuf py pycon python r rb reason ' +
  'regex rest rst ruby rust sas sass scala scheme scss sh shell shellscript smalltalk solidity sparql sql stylus svelte ' +
  'swift tcl terraform tex toml ts tsx typescript vb vbnet verilog vhdl vim vue wasm wat wgsl xml xquery yaml yml zig zsh';
const KNOWN: ReadonlySet<string> = new Set(NAMES.split(' '));
/** Spellings for a fence of labels that differ from it. */
const SPELLED: Record<string, string> = {
  'c++': 'cpp',
  'c#': 'csharp',
  'f#': 'fsharp',
  'objective-c': 'objectivec',
  'shell session': 'console',
  'plain text': '',
  plaintext: '',
  text: '',
};

/** Parses the language that a label beside code names, as a fence writes it ('' for plain text); null when it is not a language. */
export function parseLanguageLabel(label: string): string | null {
  const name = label.trim().toLowerCase();
  if (Object.hasOwn(SPELLED, name)) return SPELLED[name] ?? null;
  return KNOWN.has(name) ? name : null;
}
