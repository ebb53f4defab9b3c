import type { ArchiveFile } from '../archives/archive-limits.ts';
import type { SourceDocument } from './source-document.ts';

/** Pages of the generator that only list what others say. */
const LISTS =
  /(?:^|\/)(?:class-use|index-files|legal|jquery|resources|script-dir|src-html)\/|(?:^|\/)(?:package-(?:use|tree|frame)|all(?:classes|packages)(?:-\w+)?|overview-(?:tree|frame)|index(?:-\d+|-all)?|help-doc|deprecated-list|constant-values|serialized-form|search|system-properties|new-list|preview-list|restricted-list|external-specs|module-(?:use|tree))\.html$/;

/** Chooses the pages of a javadoc archive: overviews and packages as reference, classes as API. Kotlin's generator is not told apart. */
export function listJavadocDocuments(
  files: readonly ArchiveFile[],
  addressOf: (path: string) => string,
): SourceDocument[] {
  return files
    .filter(({ path }) => isJavadocPage(path))
    .map(({ path, bytes }): SourceDocument => {
      const isOverview = /(?:^|\/)(?:overview-summary|package-summary|module-summary)\.html$/.test(path);
      return {
        url: addressOf(path),
        kind: isOverview ? 'reference' : 'api',
        source: 'javadoc',
        path,
        body: { bytes: isOverview ? bytes : cleanBytes(bytes), contentType: 'text/html; charset=utf-8' },
      };
    })
    .toSorted((one, other) => Number(one.kind === 'api') - Number(other.kind === 'api'));
}

export const isJavadocPage = (path: string): boolean => path.endsWith('.html') && !LISTS.test(path);

function cleanBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(cleanJavadoc(Buffer.from(bytes).toString('utf8')));
}

/** Lists that repeat what the details below them say, by how old and new generators mark them. */
const SUMMARIES: readonly { start: RegExp; end: string }[] = [
  { start: /<section class="[\w-]{1,40}-summary"/g, end: '</section>' },
  {
    start: /<!-- =+ (?:NESTED CLASS|ENUM CONSTANT|FIELD|CONSTRUCTOR|METHOD|PROPERTY) SUMMARY =+ -->/g,
    end: '<!-- =',
  },
];
const SIGNATURE = '<div class="member-signature">';

/** Pure: drops the summaries of members, and marks signatures as code. */
export function cleanJavadoc(html: string): string {
  const hasDetails = /class="details"|(?:METHOD|FIELD|CONSTRUCTOR) DETAIL/.test(html);
  const rest = hasDetails ? SUMMARIES.reduce(cutParts, html) : html;
  const [before = '', ...signatures] = rest.split(SIGNATURE);
  const marked = signatures.map((part) => {
    const end = part.indexOf('</div>');
    return end === -1
      ? part
      : `<pre><code class="language-java">${part.slice(0, end)}</code></pre>${part.slice(end + 6)}`;
  });
  return [before, ...marked].join('');
}

/** Cuts each part from its start up to its end, or up to the end of the text. */
function cutParts(html: string, { start, end }: (typeof SUMMARIES)[number]): string {
  const kept: string[] = [];
  let at = 0;
  for (const { index } of html.matchAll(start)) {
    if (index < at) continue;
    kept.push(html.slice(at, index));
    const close = html.indexOf(end, index + 4);
    at = close === -1 ? html.length : close + (end.startsWith('</') ? end.length : 0);
  }
  return [...kept, html.slice(at)].join('');
}
