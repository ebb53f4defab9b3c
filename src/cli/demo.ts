import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { createServices, type Services } from '../app/compose-services.ts';
import { readConfig } from '../app/config.ts';
import { type DemoPage, serveDemoSite } from '../http/site/demo-site.ts';
import { formatCount } from './progress-line.ts';
import { ask } from './search.ts';

const PACKAGES = [
  'fastify',
  'zod',
  'undici',
  'kysely',
  'commander',
  'pino',
  'lru-cache',
  'prom-client',
  'htmlparser2',
  'tldts',
];
const QUESTIONS = [
  'How do I close a Fastify server and what happens to open connections?',
  'How do I redact passwords from the log?',
  'How do I give an option a default value?',
  'How do I mock a request in a test?',
  'How can I limit how much memory a cache uses?',
];
const PAGES_MAX = 500;
const DOCUMENT = /\.(?:md|html)$/i;

/** `npm run demo`: serves a site on loopback, crawls it into a temporary index and asks five questions. */
export async function runDemo(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-demo-'));
  const site = await serveDemoSite(listDemoPages(resolve(import.meta.dirname, '../../node_modules')));
  const config = readConfig({
    DATA_DIR: folder,
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    RECALL: 'index',
    LOG_LEVEL: 'error',
  });
  const services = await createServices(config);
  try {
    process.stdout.write(
      `Serving the documentation of ${PACKAGES.length} installed packages on ${site.address} and crawling it ...\n`,
    );
    const signal = AbortSignal.timeout(60_000);
    const bounds = { pagesMax: PAGES_MAX, depthMax: 1, withinPath: false, fresh: true, delayMs: 0 };
    const { pages, seconds } = await services.crawling.crawl({
      starts: [`${site.address}/`],
      ...bounds,
      signal,
    });
    process.stdout.write(
      `Indexed ${formatCount(pages, 'page')} in ${seconds.toFixed(1)} s, in a temporary folder.\n`,
    );
    for (const question of QUESTIONS) await answer(services, question);
    process.stdout.write(
      '\nTry it with your own sites: npm run sanderling -- crawl https://docs.example.org && npm start\n',
    );
    return 0;
  } finally {
    await services.close();
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lists the README and docs of each package, as pages below its name. */
function listDemoPages(modules: string): DemoPage[] {
  return PACKAGES.flatMap((name) => {
    const root = join(modules, name);
    if (!existsSync(root)) return [];
    const top = readdirSync(root).filter((file) => /^readme\.md$/i.test(file));
    const docs = existsSync(join(root, 'docs'))
      ? readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      : [];
    const files = [...top, ...docs.filter((file) => DOCUMENT.test(file)).map((file) => `docs/${file}`)];
    return files.map((file) => ({
      path: `/${name}/${file}`,
      file: join(root, file),
      title: `${name}: ${file.replace(DOCUMENT, '')}`,
    }));
  });
}

async function answer(services: Services, question: string): Promise<void> {
  const startedAt = performance.now();
  const { results } = await ask(services.operations, question, 1);
  process.stdout.write(`\n${styleText('bold', question)}\n`);
  const [best] = results;
  if (best === undefined) {
    process.stdout.write('   nothing found\n');
    return;
  }
  process.stdout.write(
    `   ${best.title}  ${styleText('cyan', best.url)}  ${styleText('dim', `${Math.round(performance.now() - startedAt)} ms`)}\n\n`,
  );
  process.stdout.write(`${(best.highlights?.[0] ?? '').replace(/^/gm, '   ')}\n`);
}
