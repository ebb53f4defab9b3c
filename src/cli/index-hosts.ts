import { styleText } from 'node:util';
import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import type { HostRanking, HostStanding } from '../index/hosts/host-ranker.ts';
import { rankHosts } from '../index/hosts/host-upkeep.ts';
import { systemClock, toUtcDay } from '../platform/clock.ts';
import { createProgressLine, formatCount } from './progress-line.ts';
import { watchInterruption } from './until-interrupted.ts';

type Options = { json?: boolean };

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `sanderling index rank`: resolves to the exit code. */
export async function rankIndex(config: Config, { json }: Options): Promise<number> {
  const { index, close } = await createServices(config);
  const interruption = watchInterruption();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    const { pages: total } = await index.size();
    const ranking = await rankHosts(index, {
      now: systemClock.now(),
      signal: interruption.signal,
      onProgress: (done) => progress.show({ done, total: Math.max(done, total), unit: 'page', facts: [] }),
    });
    progress.stop();
    if (ranking === null) process.stderr.write('The ranking before this one stays.\n');
    else print(json ? JSON.stringify(ranking) : formatRanking(ranking));
    return ranking === null ? 130 : 0;
  } finally {
    progress.stop();
    interruption.stop();
    await close();
  }
}

/** `sanderling index hosts`: 1 if no ranking is kept. */
export async function showHosts(
  config: Config,
  { damped = false, limit, json }: Options & { damped?: boolean; limit: number },
): Promise<number> {
  const { index, close } = await createServices(config);
  try {
    const ranking = await index.hostRanking();
    const standings = ranking === null ? [] : await index.standings({ onlyDamped: damped, limit });
    if (json) print(JSON.stringify({ ranking, hosts: standings }, null, 2));
    else if (ranking !== null) {
      print(styleText('bold', `Ranked on ${toUtcDay(ranking.rankedAt)}: ${formatRanking(ranking)}`));
      for (const standing of standings) print(formatStanding(standing));
    }
    if (ranking === null) process.stderr.write('No hosts are ranked yet; run sanderling index rank.\n');
    return ranking === null ? 1 : 0;
  } finally {
    await close();
  }
}

function formatRanking({ pages, hosts, links, damped, dropped }: HostRanking): string {
  const beyond = [
    [dropped.hosts, 'host'] as const,
    [dropped.links, 'link'] as const,
    [dropped.copies, 'page'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => formatCount(count, what));
  return [
    `${formatCount(hosts, 'host')} of ${formatCount(pages, 'page')}, ${formatCount(links, 'link')} between their sites, ${damped} damped.`,
    ...(beyond.length === 0 ? [] : [`Beyond the bounds of a ranking and left out: ${beyond.join(', ')}.`]),
  ].join(' ');
}

/** Formats a host as `authority 0.41  docs.example.org  12 pages`, with the reasons if it is damped. */
function formatStanding({ host, pages, authority, damping, signals }: HostStanding): string {
  const { copied, thin, linksPerWord, madeName } = signals;
  const reasons = `copied ${copied}, thin ${thin}, links per word ${linksPerWord}, name ${madeName}`;
  return [
    `authority ${authority.toFixed(2)}`,
    ...(damping > 0 ? [`damping ${damping.toFixed(2)}`] : []),
    host || 'local files',
    formatCount(pages, 'page'),
    ...(damping > 0 ? [styleText('dim', reasons)] : []),
  ].join('  ');
}
