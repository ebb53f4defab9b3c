import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { type AllPages, openAllPages, pagePatterns, type SitePage } from './all-pages.ts';
import { openTab, startBrowser, WITHOUT_BROWSER } from './chromium.ts';
import { LOOKS } from './looks.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Only pages whose name holds this, for a quick look. */
const WANTED = process.env.PAGES ?? '';

/** Whether scripts run, and in which looks. Without them axe cannot run either; the markup is the same. */
const MODES = [
  { scripts: true, looks: LOOKS },
  { scripts: false, looks: LOOKS.filter(({ width }) => width === 320 || width === 1_280) },
];

describe('pages for everybody', { skip: WITHOUT_BROWSER }, async () => {
  const site: AllPages = await openAllPages();
  let browser: Browser;

  before(async () => {
    browser = await startBrowser();
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  test('no page is left out', () => {
    const names = site.pages.map(({ name }) => name);
    const missing = pagePatterns().filter((pattern) => {
      const name = pattern === '/' ? 'start' : pattern.slice(1).replaceAll('/', '-').replace(/:\w+/g, '');
      return !names.some((one) => one.startsWith(name));
    });
    assert.deepEqual(missing, []);
  });

  for (const one of site.pages.filter(({ name }) => name.includes(WANTED)))
    test(`${one.name}: no violation of axe, nothing wider than the screen`, async () => {
      for (const { scripts, looks } of MODES) assert.deepEqual(await faultsOf(one, { scripts, looks }), []);
    });

  async function faultsOf(
    { open }: SitePage,
    { scripts, looks }: { scripts: boolean; looks: typeof LOOKS },
  ): Promise<string[]> {
    const { page, complaints } = await openTab(browser);
    // The openings of payment pages are counted per hour.
    site.fixture.clock.set(new Date(site.fixture.clock.now() + 3_600_000).toISOString());
    await page.setJavaScriptEnabled(scripts);
    await open(page);
    if (scripts) await page.evaluate(AXE);
    const faults: string[] = [];
    for (const look of looks) {
      await page.setViewport({ width: look.width, height: look.height });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.scheme }]);
      const found = [...(await widthFaults(page, look.width)), ...(scripts ? await axeFaults(page) : [])];
      faults.push(
        ...found.map((fault) => `${look.width} px, ${look.scheme}${scripts ? '' : ', no scripts'}: ${fault}`),
      );
    }
    await page.browserContext().close();
    return [...faults, ...complaints];
  }
});

async function widthFaults(page: Page, width: number): Promise<string[]> {
  const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
  return scrollWidth === width ? [] : [`${scrollWidth} px wide`];
}

async function axeFaults(page: Page): Promise<string[]> {
  // What axe answers is said by its own types.
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}
