import type { Article } from '../article.ts';
import { convertToMarkdown } from '../formats/markdown-of-html.ts';
import { buildPlainArticle } from '../formats/plain-article.ts';
import { escapeHtml, renderFacts } from './answer-html.ts';
import { readFieldText } from './field-of.ts';

/** Reads an oEmbed answer (https://oembed.com) as an article: what is embedded, by whom and where; null if it names nothing. */
export function readOembed(value: unknown, page: string): Article | null {
  const title = readFieldText(value, 'title');
  const author = readFieldText(value, 'author_name');
  const html = readFieldText(value, 'html');
  if (title === '' && author === '' && html === '') return null;
  const picture = readFieldText(value, 'thumbnail_url|url');
  const isPhoto = readFieldText(value, 'type') === 'photo';
  const { markdown, headings, links } = convertToMarkdown(
    [
      ...(title === '' ? [] : [`<h1>${escapeHtml(title)}</h1>`]),
      ...(html === '' ? [] : [html]),
      ...(picture === '' || !(isPhoto || html === '')
        ? []
        : [`<p><img src="${escapeHtml(picture)}" alt="${escapeHtml(title)}"></p>`]),
      escapeHtml(readFieldText(value, 'description')),
      renderFacts([
        ['Author', author],
        ['Address of the author', readFieldText(value, 'author_url')],
        ['Provider', readFieldText(value, 'provider_name')],
      ]),
    ],
    page,
  );
  return {
    ...buildPlainArticle(page, { kind: 'json', title, markdown, headings, links, rawChars: markdown.length }),
    author: author === '' ? null : author,
    site: readFieldText(value, 'provider_name') || null,
    image: URL.canParse(picture) ? picture : null,
  };
}
