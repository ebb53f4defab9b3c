import { Command } from 'commander';
import type { Config } from '../../app/config.ts';
import { readServer as readServerOptions, type ServerOptions } from '../call-server.ts';

type Environment = { readonly [name: string]: string | undefined };

/** The arguments of `sanderling watch ...`; `watch.ts` does the work. */
export function createWatchProgram({
  config: settings,
  env,
}: {
  config: () => Config;
  env: Environment;
}): Command {
  const watch = new Command('watch').description(
    'watch a page, a site, a feed or a search on a running server, and see what changed',
  );
  const readServer = (options: ServerOptions) => readServerOptions(options, env.SANDERLING_API_KEY);
  const addCommand = (name: string, about: string, options?: { isDefault: boolean }): Command =>
    watch
      .command(name, options)
      .description(about)
      .option('--url <url>', 'the server that checks it', 'http://localhost:8080')
      .option('--key <key>', 'API key that pays for the checks (default: SANDERLING_API_KEY)');
  addCommand('add', 'watch a URL, or a search if it is none', { isDefault: true })
    .argument('<what...>', 'a URL, or the words of a search')
    .option('--site', 'watch the pages of the whole site')
    .option('--feed', 'watch the entries of a feed')
    .option('--every <schedule>', 'such as 15m, 2h, 1d, "0 9 * * 1-5" or adaptive', 'adaptive')
    .option('--appears <phrase>', 'tell only when this phrase appears')
    .option('--disappears <phrase>', 'tell only when this phrase disappears')
    .option('--webhook <url>', 'send events there; without it, read them with `watch events`')
    .action(
      async (what: string[], { url, key, ...options }: ServerOptions & Record<string, string & boolean>) => {
        const { addMonitor } = await import('./watch.ts');
        process.exitCode = await addMonitor(
          settings(),
          readServer({ url, ...(key === undefined ? {} : { key }) }),
          what.join(' '),
          options,
        );
      },
    );
  addCommand('list', 'list what is watched').action(async (options: ServerOptions) => {
    const { listMonitors } = await import('./watch.ts');
    process.exitCode = await listMonitors(settings(), readServer(options));
  });
  addCommand('events', 'print what a monitor saw, the newest first')
    .argument('<id>')
    .action(async (id: string, options: ServerOptions) => {
      const { printEvents } = await import('./watch.ts');
      process.exitCode = await printEvents(settings(), readServer(options), id);
    });
  for (const state of ['paused', 'active'] as const)
    addCommand(
      state === 'paused' ? 'pause' : 'resume',
      `${state === 'paused' ? 'stop' : 'go on with'} the checks`,
    )
      .argument('<id>')
      .action(async (id: string, options: ServerOptions) => {
        const { setState } = await import('./watch.ts');
        process.exitCode = await setState(settings(), readServer(options), id, state);
      });
  return watch;
}
