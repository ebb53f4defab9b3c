import { type Config, ConfigError } from '../../app/config.ts';
import { createLog } from '../../platform/log.ts';
import { type RenderService, serveRender } from '../../render/serve-render.ts';

/** `sanderling render`: runs the rendering process, which ends on SIGTERM or SIGINT. Throws ConfigError. */
export async function runRender({
  renderProcess,
  fetchAllowPrivate,
  dnsServers,
  egress,
  logLevel,
}: Config): Promise<void> {
  const { token } = renderProcess;
  if (token === null)
    throw new ConfigError(
      'RENDER_TOKEN: is missing: give this process and the server the same secret of at least 16 characters',
    );
  const log = createLog(logLevel);
  const settings = { ...renderProcess, token, allowPrivate: fetchAllowPrivate, dnsServers, egress };
  const service = await serveRender(settings, log).catch((error: unknown) => {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  endOn(service);
  process.stdout.write(`Sanderling renders pages on ${service.address}\nBrowser: ${service.about}\n`);
}

function endOn(service: RenderService): void {
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      void service.close().finally(() => process.exit(0));
    });
}
