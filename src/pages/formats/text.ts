import type { Article } from '../article.ts';
import { buildPlainArticle, parseFileName } from './plain-article.ts';

/** Fence languages by file extension, for files that are code and not prose. */
const LANGUAGES = new Map(
  Object.entries({
    bash: 'sh bash zsh',
    c: 'c h',
    clojure: 'clj cljs',
    cpp: 'cc cpp cxx hpp hh hxx',
    csharp: 'cs',
    css: 'css',
    dart: 'dart',
    diff: 'diff patch',
    elixir: 'ex exs',
    erlang: 'erl hrl',
    fsharp: 'fs fsx',
    go: 'go mod sum',
    graphql: 'graphql gql',
    groovy: 'groovy gradle',
    haskell: 'hs',
    hcl: 'tf hcl',
    ini: 'ini cfg conf',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonc',
    julia: 'jl',
    kotlin: 'kt kts',
    lua: 'lua',
    nix: 'nix',
    objectivec: 'mm',
    ocaml: 'ml mli',
    perl: 'pl pm',
    php: 'php',
    powershell: 'ps1',
    protobuf: 'proto',
    python: 'py pyi',
    r: 'r',
    ruby: 'rb',
    rust: 'rs',
    scala: 'scala',
    scss: 'scss sass less',
    sql: 'sql',
    swift: 'swift',
    toml: 'toml',
    tsx: 'tsx',
    typescript: 'ts mts cts',
    vim: 'vim',
    vue: 'vue',
    svelte: 'svelte',
    html: 'html htm',
    xml: 'xml xsd xsl plist',
    yaml: 'yaml yml',
    zig: 'zig',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
);
const NAMES = new Map([
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'dockerfile'],
  ['cmakelists.txt', 'cmake'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
]);

/** Returns the fence language of a source file by its name in `url`, or null for prose. */
function detectCodeLanguage(url: string): string | null {
  const name = parseFileName(url).toLowerCase();
  const ending = /\.([a-z0-9]+)$/.exec(name)?.[1];
  return NAMES.get(name) ?? (ending === undefined ? null : (LANGUAGES.get(ending) ?? null));
}

/** Reads plain text: source code in a fence with its language, prose unchanged. */
export function readText(text: string, url: string): Article {
  const body = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
  const language = detectCodeLanguage(url);
  const markdown = language === null || body === '' ? body : fenceCode(body, language);
  return buildPlainArticle(url, { kind: 'text', title: '', markdown, rawChars: text.length });
}

/** Writes a fenced block whose fence is longer than any run of backticks inside. */
export function fenceCode(code: string, language: string): string {
  let longest = 2;
  for (const run of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
