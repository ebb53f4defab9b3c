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
