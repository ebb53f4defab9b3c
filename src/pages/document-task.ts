import type { Article } from './article.ts';
import { finishArticle } from './article.ts';
import { buildTextExtras, isEmptySelection, NOTHING_SELECTED } from './extract/extras/take-extras.ts';
import type { ExtractResult, ExtractTask } from './extract-task.ts';
import type { DocumentFormat } from './formats/detect-format.ts';
import { toExtractFailure } from './unreadable.ts';

type Source = { bytes: Uint8Array; url: string };
type Reader = (source: Source) => Promise<Article> | Article;

/** Each reader is loaded with the first document of its format. */
const READERS: Record<DocumentFormat, () => Promise<Reader>> = {
  async archive() {
    const { readArchive } = await import('./formats/office/read-archive.ts');
    return ({ bytes, url }) => readArchive(bytes, url);
  },
  async mail() {
    const { readEml } = await import('./formats/mail/eml.ts');
    return ({ bytes, url }) => readEml(bytes, url);
  },
  async image() {
    const { readImage } = await import('./formats/pictures/image.ts');
    return ({ bytes, url }) => readImage(bytes, url);
  },
  async pdf() {
    const { readPdf } = await import('./formats/pdf/read-pdf.ts');
    return ({ bytes, url }) => readPdf(bytes, url);
  },
};

/**
 * Extracts the article of a document, or returns why it cannot be read. It is a separate module, which a thread loads with its first
 * document.
 */
export async function extractDocument(
  task: ExtractTask,
  format: DocumentFormat,
  lastDay: string | null,
): Promise<ExtractResult> {
  try {
    const read = await READERS[format]();
    const article = await read(task);
    if (article.markdown.trim() === '')
      return { ok: false, reason: 'empty', message: 'the document has no text' };
    const done = { ok: true, article: finishArticle(article, lastDay) } as const;
    if (task.extras === undefined) return done;
    const extras = buildTextExtras('', article, task.extras);
    if (isEmptySelection(task.extras, extras))
      return { ok: false, reason: 'empty', message: NOTHING_SELECTED };
    return { ...done, extras };
  } catch (error) {
    return toExtractFailure(error);
  }
}
