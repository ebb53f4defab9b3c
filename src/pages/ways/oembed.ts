import type { Article } from '../article.ts';
import { markdownOfHtml } from '../formats/markdown-of-html.ts';
import { plainArticle } from '../formats/plain-article.ts';
import { factsHtml, htmlText } from './answer-html.ts';
import { textAt } from './field-of.ts';

/** An oEmbed answer (https://oembed.com) as an article: what is embedded, by whom and where; null if it names nothing. */
export function readOembed(value: unknown, page: string): Article | null {
  const title = textAt(value, 'title');
  const author = textAt(value, 'author_name');
  const html = textAt(value, 'html');
  if (title === '' && author === '' && html === '') return null;
  const picture = textAt(value, 'thumbnail_url|url');
  const isPhoto = textAt(value, 'type') === 'photo';
  const { markdown, headings, links } = markdownOfHtml(
    [
      ...(title === '' ? [] : [`<h1>${htmlText(title)}</h1>`]),
      ...(html === '' ? [] : [html]),
      ...(picture === '' || !(isPhoto || html === '')
        ? []
        : [`<p><img src="${htmlText(picture)}" alt="${htmlText(title)}"></p>`]),
      htmlText(textAt(value, 'description')),
      factsHtml([
        ['Author', author],
        ['Address of the author', textAt(value, 'author_url')],
        ['Provider', textAt(value, 'provider_name')],
      ]),
    ],
    page,
  );
  return {
    ...plainArticle(page, { kind: 'json', title, markdown, headings, links, rawChars: markdown.length }),
    author: author === '' ? null : author,
    site: textAt(value, 'provider_name') || null,
    image: URL.canParse(picture) ? picture : null,
  };
}
