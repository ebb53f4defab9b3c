import PostalMime, { type Address } from 'postal-mime';
import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { extractHtml } from '../../extract/extract-html.ts';
import { letterArticle } from './letter.ts';

/** Levels of messages within messages, and bytes of all headers. */
const NESTING_MAX = 32;
const HEADER_BYTES_MAX = 1_048_576;

/** A message (RFC 5322 with MIME), or a page that a browser has saved with its pictures as one (MHTML). */
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
  return letterArticle(
    {
      subject: email.subject ?? '',
      from: addressText(email.from === undefined ? [] : [email.from]),
      to: addressText(email.to ?? []),
      cc: addressText(email.cc ?? []),
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

function addressText(addresses: Address[]): string {
  return addresses
    .flatMap((address) => (address.group === undefined ? [address] : address.group))
    .map(({ name, address }) =>
      name === '' ? (address ?? '') : `${name}${address === undefined ? '' : ` <${address}>`}`,
    )
    .join(', ');
}
