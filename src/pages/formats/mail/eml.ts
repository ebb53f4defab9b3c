import { escapeUTF8 } from 'entities';
import type { Address } from 'postal-mime';
import PostalMime from 'postal-mime';
import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { extractHtml } from '../../extract/extract-html.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle } from '../plain-article.ts';

const ATTACHMENTS_MAX = 500;

/** Maximum levels of messages within messages, and maximum bytes of all headers. */
const NESTING_MAX = 32;
const HEADER_BYTES_MAX = 1_048_576;

/** Reads a message (RFC 5322 with MIME), or a page that a browser has saved with its pictures as one (MHTML). */
export async function readEml(bytes: Uint8Array, url: string): Promise<Article> {
  const email = await PostalMime.parse(bytes, {
    maxNestingDepth: NESTING_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
  }).catch((cause: unknown) => {
    throw createFetchFailure('undecodable', 'the message is damaged, or nested too deeply', { cause });
  });
  const saved = email.headers.find(({ key }) => key === 'snapshot-content-location')?.value;
  const isPage =
    saved !== undefined ||
    email.headers.some(
      ({ key, value }) =>
        key === 'content-type' && /multipart\/related/i.test(value) && email.from === undefined,
    );
  if (isPage && email.html !== undefined) {
    const address = saved !== undefined && URL.canParse(saved) ? saved : url;
    return { ...extractHtml(email.html, address), kind: 'document', url };
  }
  return buildLetterArticle(
    {
      subject: email.subject ?? '',
      from: formatAddresses(email.from === undefined ? [] : [email.from]),
      to: formatAddresses(email.to ?? []),
      cc: formatAddresses(email.cc ?? []),
      date: email.date ?? '',
      html: email.html ?? '',
      text: email.text ?? '',
      attachments: email.attachments.map(({ filename, mimeType, content }) => ({
        name: filename ?? 'unnamed',
        type: mimeType,
        bytes: typeof content === 'string' ? content.length : content.byteLength,
      })),
    },
    url,
    bytes.length,
  );
}

function formatAddresses(addresses: Address[]): string {
  return addresses
    .flatMap((address) => (address.group === undefined ? [address] : address.group))
    .map(({ name, address }) =>
      name === '' ? (address ?? '') : `${name}${address === undefined ? '' : ` <${address}>`}`,
    )
    .join(', ');
}

/** The fields of a message; texts are '' when absent, `date` is in any form that JavaScript parses. */
type Letter = {
  subject: string;
  from: string;
  to: string;
  cc: string;
  date: string;
  html: string;
  text: string;
  attachments: { name: string; type: string; bytes: number }[];
};

/** Writes a message as Markdown: subject, sender, recipients and day, then its text and a list of its attachments. */
function buildLetterArticle(letter: Letter, url: string, rawChars: number): Article {
  const { subject, from, to, cc, html, text, attachments } = letter;
  const time = Date.parse(letter.date);
  const day = Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
  const lines = [
    ...([
      ['From', from],
      ['To', to],
      ['Cc', cc],
      ['Date', day ?? ''],
    ] as const),
  ].filter(([, value]) => value !== '');
  const files = attachments
    .slice(0, ATTACHMENTS_MAX)
    .map(({ name, type, bytes }) => `<li>${escapeUTF8(name)} (${escapeUTF8(type)}, ${bytes} bytes)</li>`);
  const written = convertToMarkdown(
    [
      subject === '' ? '' : `<h1>${escapeUTF8(subject)}</h1>`,
      `<p>${lines.map(([name, value]) => `${name}: ${escapeUTF8(value)}`).join('<br>')}</p>`,
      html.trim() === '' ? renderParagraphs(text) : html,
      files.length === 0 ? '' : `<p>Attached:</p><ul>${files.join('')}</ul>`,
    ],
    url,
  );
  return buildPlainArticle(url, {
    kind: 'document',
    title: subject,
    author: from === '' ? null : from.split('<', 1)[0]?.trim() || from,
    published: day === null ? null : { day, from: 'meta' },
    ...written,
    rawChars,
  });
}

/** Renders plain text as paragraphs that keep their lines; quoted lines become quotations. */
function renderParagraphs(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n{2,}/)
    .map((part) => {
      const lines = part.split('\n');
      const isQuoted = lines.every((line) => line.startsWith('>'));
      const shown = lines.map((line) => escapeUTF8(isQuoted ? line.replace(/^>\s?/, '') : line)).join('<br>');
      return isQuoted ? `<blockquote><p>${shown}</p></blockquote>` : `<p>${shown}</p>`;
    })
    .join('');
}
