/**
 * Makes PDFs whose text is known: node eval/pdf/make-pdfs.ts SOURCE TARGET [COUNT]. SOURCE holds HTML files (documentation packages,
 * unpacked); TARGET gets NAME.pdf, and NAME.json with the text that the browser shows and its headings. Two writers take
 * turns: Chromium, every third time in two columns, and LibreOffice (`soffice`). Both must be installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer-core';
import { startBrowser } from '../../test/browser/chromium.ts';
import { orderedWords } from './words-in-order.ts';

const COUNT = 240;
const TEXT_CHARS = { min: 1_500, max: 150_000 };
/** Pages of one folder, so that no manual with a thousand pages fills the set. */
const PER_FOLDER_MAX = 14;
const CONVERT_SECONDS_MAX = '60';
/** Share of the words that must be in a PDF somewhere; others are removed. */
const WHOLE_SHARE = 0.97;
/** What is wider than the paper would be cut off, and is then not in the PDF. */
const WHOLE =
  'pre { white-space: pre-wrap } body * { overflow: visible !important; overflow-wrap: break-word }';

/** What is known of a PDF: the text that it was made from. */
export type KnownText = {
  source: string;
  writer: 'chromium' | 'columns' | 'libreoffice';
  text: string;
  headings: string[];
};

if (import.meta.main) {
  const [source, target, count = COUNT] = process.argv.slice(2);
  if (source === undefined || target === undefined)
    throw new Error('usage: make-pdfs.ts SOURCE TARGET [COUNT]');
  await makePdfs(source, target, Number(count));
}

async function makePdfs(from: string, to: string, wanted: number): Promise<void> {
  mkdirSync(to, { recursive: true });
  const browser = await startBrowser();
  const page = await browser.newPage();
  const htmls: string[] = [];
  let made = 0;
  for (const file of spread(from)) {
    if (made >= wanted) break;
    const writer = made % 2 === 1 ? 'libreoffice' : made % 6 === 0 ? 'columns' : 'chromium';
    const known = await read(page, file, writer);
    if (known === null) continue;
    const name = join(resolve(to), `${String(made).padStart(3, '0')}-${basename(file, '.html')}`);
    if (writer === 'libreoffice') {
      writeFileSync(`${name}.html`, `\ufeff${await page.content()}`);
      htmls.push(`${name}.html`);
    } else
      await page.pdf({
        path: `${name}.pdf`,
        format: 'A4',
        margin: { top: 50, bottom: 50, left: 50, right: 50 },
      });
    writeFileSync(`${name}.json`, JSON.stringify({ ...known, source: file.slice(from.length) }));
    made += 1;
  }
  await browser.close();
  for (const html of htmls) convert(html, to);
  const lost = globSync('*.json', { cwd: to })
    .map((file) => join(to, file.replace(/\.json$/, '')))
    .filter((name) => !isWhole(name));
  for (const name of lost) for (const ending of ['pdf', 'json']) rmSync(`${name}.${ending}`, { force: true });
  console.log(`${made - lost.length} PDFs in ${to}; ${lost.length} others do not show all of their text`);
}

/** Files in an order that is the same every time and takes from every folder. */
function spread(from: string): string[] {
  const files = globSync('**/*.html', { cwd: from }).map((file) => ({
    file: join(from, file),
    folder: file.split('/').slice(0, 5).join('/'),
    order: createHash('sha256').update(file).digest('hex'),
  }));
  files.sort((a, b) => (a.order < b.order ? -1 : 1));
  const taken = new Map<string, number>();
  return files.flatMap(({ file, folder }) => {
    taken.set(folder, (taken.get(folder) ?? 0) + 1);
    return (taken.get(folder) ?? 0) > PER_FOLDER_MAX ? [] : [file];
  });
}

async function read(page: Page, file: string, writer: KnownText['writer']): Promise<KnownText | null> {
  // Printing ends the emulation, which is then taken for set.
  await page.emulateMediaType('screen');
  await page.emulateMediaType('print');
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load', timeout: 20_000 });
  await page.addStyleTag({ content: WHOLE });
  if (writer === 'columns') await page.addStyleTag({ content: 'body { columns: 2; font-size: 10px }' });
  // What the script returns.
  const shown = (await page.evaluate(readInBrowser(writer === 'libreoffice'))) as Pick<
    KnownText,
    'text' | 'headings'
  >;
  const { text, headings } = shown;
  if (text.length < TEXT_CHARS.min || text.length > TEXT_CHARS.max || headings.length === 0) return null;
  return { source: file, writer, text, headings };
}

/** Runs in the browser. For an office program it leaves only what that understands: the visible elements, without their styles. */
function readInBrowser(plain: boolean): string {
  return `
  const isGone = (element) => !element.checkVisibility() && element.tagName !== 'BR';
  if (${plain}) for (const element of [...document.body.querySelectorAll('*')].filter(isGone)) element.remove();
  for (const element of document.querySelectorAll('script${plain ? ',style,link,meta,svg,img,form,iframe,object' : ''}'))
    element.remove();
  if (${plain})
    for (const element of document.querySelectorAll('*'))
      for (const name of ['style', 'class', 'align', 'width', 'height', 'bgcolor', 'background'])
        element.removeAttribute(name);
  const headings = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].filter((heading) => heading.checkVisibility());
  ({
    text: document.body.innerText,
    headings: headings.map((heading) => heading.innerText.trim()).filter((heading) => heading !== ''),
  })`;
}

/** One at a time: a document on which the program hangs or ends takes no other with it. */
function convert(html: string, to: string): void {
  const profile = mkdtempSync(join(tmpdir(), 'office-'));
  const options = ['--headless', `-env:UserInstallation=${pathToFileURL(profile).href}`];
  // `timeout` ends the whole group: `soffice` is a script that starts the program itself.
  const office = ['soffice', ...options, '--convert-to', 'pdf:writer_web_pdf_Export', '--outdir', to, html];
  spawnSync('timeout', ['-k', '5', CONVERT_SECONDS_MAX, ...office]);
  rmSync(profile, { recursive: true });
  rmSync(html);
}

/** Whether a PDF holds its text by the judgement of another reader (`pdftotext`); menus beside the paper, for one, are not in it. */
function isWhole(name: string): boolean {
  // Written above.
  const known = JSON.parse(readFileSync(`${name}.json`, 'utf8')) as KnownText;
  const shown = spawnSync('pdftotext', [`${name}.pdf`, '-'], { encoding: 'utf8', maxBuffer: 1e8 });
  const found = Map.groupBy(orderedWords(shown.stdout), (word) => word);
  const wanted = Map.groupBy(orderedWords(known.text), (word) => word);
  let [there, all] = [0, 0];
  for (const [word, places] of wanted) {
    all += places.length;
    there += Math.min(places.length, found.get(word)?.length ?? 0);
  }
  return there > WHOLE_SHARE * all;
}
