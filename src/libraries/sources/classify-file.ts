import type { LibraryPageKind } from '../library-types.ts';

/** A file of a package or a repository that is documentation. */
type DocumentationFile = {
  kind: LibraryPageKind;
  format: 'markdown' | 'rst' | 'html' | 'text' | 'notebook' | 'code';
};

const FORMATS: Record<string, DocumentationFile['format']> = {
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
  mkd: 'markdown',
  mdown: 'markdown',
  rst: 'rst',
  rest: 'rst',
  txt: 'text',
  rdoc: 'text',
  adoc: 'text',
  asciidoc: 'text',
  html: 'html',
  htm: 'html',
  ipynb: 'notebook',
};
const DOC_FOLDER =
  /^(?:docs?|documentation|doc-src|docsrc|guides?|manual|book|handbook|tutorials?|website|site|wiki|topics|howto)$/;
const EXAMPLE_FOLDER = /^(?:examples?|samples?|demos?|_examples|cookbook|recipes)$/;
/** Folders that hold no documentation of the package itself, wherever they are. */
const FOREIGN_FOLDER =
  /^(?:node_modules|vendor|third[_-]?party|external|tests?|testing|testdata|__tests__|specs?|fixtures?|snapshots?|benches|benchmarks?|\.[^/]*|locales?|i18n|translations|dist-info|licenses?|_static|_templates|_themes|internal|egg-info|[^/]+\.egg-info|release-process|rfcs?|proposals?)$/;
const LANGUAGES =
  'ar|bn|cs|da|de|el|es|fa|fi|fr|he|hi|hu|id|it|ja|jp|ko|kr|ms|nl|no|pl|pt|ro|ru|sv|th|tr|uk|ur|vi|zh|cn|tw';
const FOREIGN_LANGUAGE = new RegExp(`^(?:${LANGUAGES})(?:[-_][a-z]{2,4})?$`, 'i');
const FOREIGN_NAME = new RegExp(`[._-](?:${LANGUAGES})(?:[-_][a-z]{2,4})?$`, 'i');
const CHANGELOG =
  /^(?:changelog|changes|history|news|release[-_ ]?notes?|releases|whats[-_]?new|changelist)\b/;
/** Files about taking part, and legal ones. */
const ASIDE =
  /^(?:licen[cs]es?|copying|copyright|notices?|authors|contributors?|contributing|code[-_]of[-_]conduct|security|maintainers|governance|sponsors|backers|funding|support|thanks|owners|codeowners|pull[-_]request[-_]template|issue[-_]template|patents|third[-_]?party.*|requirements.*|constraints.*|manifest|sources|top_level|dependency_links|entry_points|robots|cmakelists|spelling.*|wordlist.*|404|project[-_]charter|agents|claude|todo)\b/;
const REFERENCE = /(?:^|[/_-])(?:api|reference|ref|apidocs?|modules|autoapi)(?:[/_.-]|$)/;
const CODE_ENDING = /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|dart|sh)$/;
const CODE_DEPTH_MAX = 4;

/** Pure: decides from its path below the package whether a file is documentation of it; null if it is not. */
export function classifyFile(path: string): DocumentationFile | null {
  const segments = path.toLowerCase().split('/');
  const file = segments.pop() ?? '';
  if (segments.some((folder) => FOREIGN_FOLDER.test(folder) || FOREIGN_LANGUAGE.test(folder))) return null;
  const dot = file.lastIndexOf('.');
  const [name, ending] = dot === -1 ? [file, ''] : [file.slice(0, dot), file.slice(dot + 1)];
  if (FOREIGN_NAME.test(name) || name.startsWith('_') || name.startsWith('.')) return null;
  const isInExamples = segments.some((folder) => EXAMPLE_FOLDER.test(folder));
  const isInDocs = segments.some((folder) => DOC_FOLDER.test(folder));
  const isReadme = /^read-?me\b/.test(name);
  if (isInExamples && CODE_ENDING.test(file))
    return segments.length <= CODE_DEPTH_MAX ? { kind: 'example', format: 'code' } : null;
  const format = ending === '' ? (isReadme || CHANGELOG.test(name) ? 'text' : undefined) : FORMATS[ending];
  if (format === undefined || ASIDE.test(name)) return null;
  if (CHANGELOG.test(name) || segments.some((folder) => CHANGELOG.test(folder)))
    return format === 'html' ? null : { kind: 'changelog', format };
  if (isInExamples) return { kind: 'example', format };
  if (isReadme) return { kind: 'guide', format };
  // Text files and pages elsewhere are data of the package.
  if (!isInDocs && (format === 'text' || format === 'html' || format === 'notebook')) return null;
  if (!isInDocs && segments.length > 1 && format !== 'markdown') return null;
  return { kind: REFERENCE.test(path.toLowerCase()) ? 'reference' : 'guide', format };
}
