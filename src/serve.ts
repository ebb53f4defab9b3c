import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type Config, ConfigError } from './config.ts';
import { createApp } from './http/app.ts';
import { createDraining, type Draining } from './http/draining.ts';
import { type Listening, listen } from './http/listen.ts';
import { endOnSignals } from './http/serving.ts';
import { createServices, type Services } from './services.ts';

/** Services -> app -> listen; resolves once requests are taken. The process then ends on SIGTERM or SIGINT. Throws ConfigError. */
export async function serve(config: Config): Promise<void> {
  const services = await createServices(config);
  const draining = createDraining();
  const app = await appOver(services, draining);
  const listening = await listen(app, { ...config, draining }).catch(async (error: unknown) => {
    await services.close();
    throw explained(error, config);
  });
  endOnSignals({ listening, log: services.log, close: () => services.close() });
  await greet(services, listening);
}

/** The faces over the real parts. */
export function appOver(services: Services, draining: Draining): Promise<FastifyInstance> {
  return createApp({
    ...services,
    draining,
    // Keys come with credits; until then every key is unknown.
    findKey: async () => null,
    ping: async () => {
      await sql`select 1`.execute(services.store);
    },
  });
}

function explained(error: unknown, { host, port }: Config): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `PORT: ${host}:${port} is taken by another process; choose another, such as 8081`,
      );
    case 'EACCES':
      return new ConfigError(`PORT: ${port} may not be used by this user; choose one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST: ${host} is no address of this machine`);
    default:
      return error;
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
