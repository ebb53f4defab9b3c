import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openAllPages } from './all-pages.ts';
import { openTab, startBrowser } from './chromium.ts';
import { LOOKS } from './looks.ts';

/* Writes a picture of every page in every look: `npm run screenshots [folder] [part of a page's name]`. */

const [folder = 'screenshots', wanted = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const site = await openAllPages();
const browser = await startBrowser(['--hide-scrollbars']);
for (const { name, open } of site.pages.filter((one) => one.name.includes(wanted))) {
  const { page } = await openTab(browser);
  // The openings of payment pages are counted per hour.
  site.fixture.clock.set(new Date(site.fixture.clock.now() + 3_600_000).toISOString());
  await open(page);
  for (const { width, height, scheme } of LOOKS) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.screenshot({
      path: join(folder, `${name}-${width}-${scheme}.png`) as `${string}.png`,
      fullPage: true,
    });
  }
  console.log(name);
  await page.browserContext().close();
}
await browser.close();
await site.close();
