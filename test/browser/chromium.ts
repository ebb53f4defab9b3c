import { existsSync } from 'node:fs';
import { type Browser, launch, type Page } from 'puppeteer-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIETLY = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const WAIT_MS = 10_000;

/** Where a Chromium is installed; none is downloaded. */
const executablePath = PLACES.find((path) => existsSync(path)) ?? null;

/** Why tests that need a browser are skipped, or false. Under continuous integration (`CI` is set) nothing is skipped: they fail. */
export const WITHOUT_BROWSER: string | false =
  executablePath === null &&
  !process.env.CI &&
  'no Chromium is installed (scripts/test-services.sh start, or apt-get install chromium)';

export function startBrowser(more: readonly string[] = []): Promise<Browser> {
  if (executablePath === null) throw new Error('no Chromium is installed');
  return launch({ executablePath, args: [...QUIETLY, ...more] });
}

/** A page in a window of its own, with what went wrong on it and what it asked of whom. */
export type Watched = { page: Page; complaints: string[]; hosts: Set<string> };

export async function openTab(browser: Browser): Promise<Watched> {
  const context = await browser.createBrowserContext();
  return watch(await context.newPage());
}

export function watch(page: Page): Watched {
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A page that answers 404 or 422 is no mistake of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  return { page, complaints, hosts };
}

/** Clicks what leads to another page, and waits until it is there. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

/** What a reader sees of an element. */
export function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent?.trim() ?? '');
}
