import { sql } from 'kysely';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { createDraining } from './http/draining.ts';
import { type Listening, listen } from './http/listen.ts';
import { endOnSignals } from './http/serving.ts';
import { createServices, type Services } from './services.ts';

/** Services -> app -> listen; resolves once requests are taken. The process then ends on SIGTERM or SIGINT. */
export async function serve(config: Config): Promise<void> {
  const services = await createServices(config);
  const draining = createDraining();
  const app = await createApp({
    ...services,
    draining,
    // Keys come with credits; until then every key is unknown.
    findKey: async () => null,
    ping: async () => {
      await sql`select 1`.execute(services.store);
    },
  });
  const listening = await listenOrExplain(() => listen(app, { ...config, draining }), config);
  if (listening === null) {
    await services.close();
    process.exitCode = 1;
    return;
  }
  endOnSignals({ listening, log: services.log, close: () => services.close() });
  await greet(services, listening);
}

async function listenOrExplain(
  start: () => Promise<Listening>,
  { host, port }: Config,
): Promise<Listening | null> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL' && code !== 'ENOTFOUND')
      throw error;
    const why = code === 'EADDRINUSE' ? 'is taken by another process' : `cannot be used (${code})`;
    process.stderr.write(`${host}:${port} ${why}: set PORT or HOST, for example PORT=8081 npm start\n`);
    return null;
  }
}

async function greet({ index }: Services, { address }: Listening): Promise<void> {
  process.stdout.write(`Sanderling serves on ${address}\n`);
  const { pages } = await index.size();
  if (pages > 0) return;
  process.stdout.write(
    [
      'The index is empty, so searches find nothing yet. Fill it with a site:',
      '  npm run sanderling -- crawl https://docs.example.org',
      `or read a page, which is searchable from then on: ${address}/r/https://example.org/`,
      '',
    ].join('\n'),
  );
}
