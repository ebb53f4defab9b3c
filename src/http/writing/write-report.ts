import { PRICES } from '../../billing/ledger/prices.ts';
import type { ResearchAnswer } from '../../research/research.ts';
import type { Writer } from '../../writing/writer.ts';
import {
  NO_CREDITS,
  type TextPart,
  type WritePartRequest,
  type WrittenPart,
  writePart,
} from './write-text.ts';

type ReportRequest = Omit<WritePartRequest, 'passages' | 'schema'> & {
  /** Credits left for writing. */
  credits: number;
};

/** Writes a report from the evidence of a research; nothing where the credits do not pay for it. */
export async function writeReport(
  writer: Writer,
  { evidence }: Pick<ResearchAnswer, 'evidence'>,
  { credits, task, ...request }: ReportRequest,
): Promise<WrittenPart> {
  if (credits < PRICES.writtenReport) return NO_CREDITS;
  const passages = evidence.map(({ url, title, quote }) => ({ url, title, text: quote }));
  return writePart(writer, {
    ...request,
    task: `${task}\n\nWrite a report that covers every part of the question.`,
    passages,
  });
}

/** Formats a report as Markdown: its statements with the numbers of their sources, and the sources. */
export function formatProse({ text, sources }: TextPart, title: string): string {
  const lines = sources.map(
    ({ url, title: name }, place) => `${place + 1}. ${name.replace(/\s+/g, ' ').trim() || url}: ${url}`,
  );
  return `${title}\n\n${text}\n\n## Sources\n\n${lines.join('\n')}\n`;
}
