import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLines } from './json-lines.ts';

/** A page with the text that people marked as its main content. */
export type GoldPage = {
  id: string;
  url: string;
  html: string;
  text: string;
  type: string;
  /** The marked comments; '' where there are none. */
  comments: string;
};

/** Pages whose marked text is mostly not in their HTML cannot be judged. */
const GOLD_IN_HTML_MIN = 0.6;
/** Used if a data set does not give the address; contains no clue. */
export const NO_ADDRESS = 'http://unknown.invalid/page';

/** The folder with the data sets; exits with a message if it is missing. */
export function dataFolder(): string {
  const folder = process.env.EVAL_DATA ?? '../shared/data';
  if (!existsSync(join(folder, 'wcxb_dev'))) throw new Error(`no data sets in ${folder}; set EVAL_DATA`);
  return folder;
}

/** The judgeable pages of a data set, one at a time; `small` takes the set's stratified sample only. */
export async function* goldPages(set: string, small: boolean): AsyncGenerator<GoldPage> {
  const folder = join(dataFolder(), set);
  const wanted = small
    ? new Set(readFileSync(join(folder, 'ids_small.txt'), 'utf8').trim().split(/\s+/))
    : null;
  for await (const page of jsonLines(join(folder, 'pages.jsonl.gz'))) {
    // The README of the set names the fields.
    const { id, url, html, text, meta } = page as {
      id: string;
      url: string | null;
      html: string;
      text: string;
      meta: Record<string, string>;
    };
    if (wanted !== null && !wanted.has(id)) continue;
    if (Number(meta.gt_in_html) < GOLD_IN_HTML_MIN || text.trim() === '') continue;
    yield {
      id,
      url: url ?? NO_ADDRESS,
      html,
      text,
      type: meta.page_type ?? 'all',
      comments: meta.comments_text ?? '',
    };
  }
}

/** The site that a page belongs to, for folds that share no site: the last two labels, three under short suffixes. */
export function siteOf(url: string): string {
  const labels = new URL(url).hostname.split('.');
  const short = (labels.at(-2)?.length ?? 9) <= 3 && labels.length > 2;
  return labels.slice(short ? -3 : -2).join('.');
}
