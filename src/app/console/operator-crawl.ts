import { createBackgroundCrawl } from '../../crawl/background/background-crawl.ts';
import type { BackgroundCrawl } from '../../crawl/background/crawl-types.ts';
import { createCrawlHelper } from '../../crawl/spread/help-crawls.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { type Background, runPeriodically } from '../../platform/background.ts';
import type { Services } from '../compose-services.ts';

/** A crawl of the operator's has one fair share of pages and threads, like one caller. */
const OPERATOR = 'operator';

/** The crawl of the operator's console, and of processes that help with a crawl. */
export function createOperatorCrawl(services: Services): BackgroundCrawl {
  const { store, log, clock, network, index, readSitemapFile, spread } = services;
  const { fetch, checkUrl, addressOf } = network;
  return createBackgroundCrawl({
    fetch,
    checkUrl,
    clock,
    readSitemapFile,
    index,
    store,
    log,
    addressOf,
    spread,
    openPage: assignToOperator(services.openPage),
  });
}

function assignToOperator(openPage: OpenPage): OpenPage {
  return (url, options) => openPage(url, { ...options, tenant: OPERATOR });
}

/** How often a process looks for a crawl that wants help. */
const LOOK_EVERY_MS = 2_000;

/** Helps with crawls that other processes began, where there may be any; the returned function ends that. */
export function startCrawlHelp(services: Services, background: Background): () => Promise<void> {
  const { spread, log } = services;
  if (spread === null) return async () => {};
  const crawl = createOperatorCrawl(services);
  const helper = createCrawlHelper({
    spread,
    log,
    help: (order, signal) => crawl({ ...order, helps: true, signal }),
  });
  const stop = runPeriodically(background, [
    { name: 'look for crawls to help with', ms: LOOK_EVERY_MS, work: helper.tick },
  ]);
  return async () => {
    stop();
    await helper.end();
  };
}
