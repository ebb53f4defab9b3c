/** Quoted answers as a caller gets them: the pages of the questions are imported, and each question is asked over HTTP of its own pages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importPages, post, serveIndex } from '../ranking/served-index.ts';
import type { AnswerCase } from './answer-cases.ts';

/** Resolves to the quoted answer to each question, null where none is given. */
export async function askServed(cases: readonly AnswerCase[]): Promise<(string | null)[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-answers-'));
  const pages = new Map(cases.flatMap((one) => one.pages).map((page) => [page.url, page]));
  try {
    await importPages(dataDir, [...pages.values()]);
    const { address, close } = await serveIndex(dataDir);
    try {
      const quotations: (string | null)[] = [];
      for (const { query, pages } of cases) {
        const { answer } = await post<{ answer: string | null }>(`${address}/shapeB/search`, {
          query,
          include_domains: pages.map(({ url }) => new URL(url).hostname),
          include_answer: true,
        });
        quotations.push(answer);
      }
      return quotations;
    } finally {
      await close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
