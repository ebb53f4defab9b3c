import { mkdirSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { callersInWords, callerWarnings } from '../app/callers-in-words.ts';
import { createServices, type Services } from '../app/compose-services.ts';
import { type Config, ConfigError, readConfig } from '../app/config.ts';
import { ledgerStorePlace, openLedgerStoreOf } from '../app/open-ledger-store.ts';
import { Failure } from '../contract/errors.ts';
import { isFreePort } from '../http/server/listen.ts';
import { ledgerStoreServer } from '../platform/store/ledger/open-ledger-store.ts';
import { failure, ok, printVerdict, type Verdict, warning } from './check-result.ts';
import { sourceLines } from './doctor-sources.ts';
import { askRunningSources } from './running-sources.ts';
import { progressInWords, sizeInWords } from './search.ts';

type Check = { name: string; run(): Promise<Verdict> };

const NODE_MAJOR_MIN = 24;
const DISK_FREE_BYTES_MIN = 1_073_741_824;
/** A public page that exists for such tests. */
const PROBE_URL = 'https://example.com/';
const PROBE_MS = 6_000;

/** `sanderling doctor`: prints one line per check, with what to do; resolves to 1 if a check failed. */
export async function runDoctor(environment: Record<string, string | undefined>): Promise<number> {
  let failures = 0;
  const report = async ({ name, run }: Check): Promise<void> => {
    const verdict = await run().catch((error: unknown) =>
      failure(error instanceof Error ? error.message : String(error)),
    );
    if (verdict.mark === 'failure') failures += 1;
    printVerdict(name, verdict);
  };
  await report({ name: 'Node', run: checkNode });
  const config = await readSettings(environment, report);
  if (config !== null) {
    await report({ name: 'disk', run: () => checkDisk(config.dataDir) });
    await report({ name: 'port', run: () => checkPort(config) });
    await report({ name: 'callers', run: async () => checkCallers(config) });
    await report({ name: 'ledger', run: () => checkLedgerStore(config) });
    const services = await openOrReport(config, report);
    if (services !== null) {
      for (const check of checksOf(services)) await report(check);
      await services.close();
    }
    const lines = sourceLines(config, await askRunningSources(config));
    for (const { name, ...verdict } of lines) await report({ name, run: async () => verdict });
  }
  process.stdout.write(
    failures === 0 ? 'No check failed.\n' : `${failures} ${failures === 1 ? 'check' : 'checks'} failed.\n`,
  );
  return failures === 0 ? 0 : 1;
}

async function checkNode(): Promise<Verdict> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NODE_MAJOR_MIN) return ok(process.versions.node);
  return failure(
    `${process.versions.node} is too old: start with npm run sanderling, which brings Node ${NODE_MAJOR_MIN}`,
  );
}

type Report = (check: Check) => Promise<void>;

async function readSettings(
  environment: Record<string, string | undefined>,
  report: Report,
): Promise<Config | null> {
  let config: Config | null = null;
  await report({
    name: 'settings',
    run: async () => {
      try {
        config = readConfig({ ...environment, LOG_LEVEL: 'silent' });
        return ok(`data in ${resolve(config.dataDir)}`);
      } catch (error) {
        if (error instanceof ConfigError)
          return failure(`${error.message.replaceAll('\n', '; ')} (see .env.example)`);
        throw error;
      }
    },
  });
  return config;
}

async function checkDisk(dataDir: string): Promise<Verdict> {
  mkdirSync(dirname(resolve(dataDir)), { recursive: true });
  const { bavail, bsize } = statfsSync(dirname(resolve(dataDir)));
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free`;
  return free >= DISK_FREE_BYTES_MIN
    ? ok(text)
    : warning(`${text}: the index and the page cache need more; set DATA_DIR to a folder on a larger disk`);
}

async function checkPort({ host, port }: Config): Promise<Verdict> {
  if (await isFreePort(host, port)) return ok(`${host}:${port} is free`);
  return warning(`${host}:${port} is in use: Sanderling may already be running there; otherwise set PORT`);
}

/** Who may call and who pays; a warning if that is probably not intended. */
function checkCallers(config: Config): Verdict {
  const words = callersInWords(config);
  const warnings = callerWarnings(config);
  return warnings.length === 0 ? ok(words) : warning(`${words}. ${warnings.join('. ')}`);
}

/** Checks whether the ledger can be opened, and names its store. Opening it migrates its tables. */
async function checkLedgerStore(config: Config): Promise<Verdict> {
  const ledgerStore = await openLedgerStoreOf(config).catch((error: Error) => error);
  if (ledgerStore instanceof Error) return failure(ledgerStore.message);
  try {
    const { name, weakness } = await ledgerStoreServer(ledgerStore);
    const kept = `charges kept for ${config.ledgerDetailDays} days`;
    const text = `${name}, ${ledgerStorePlace(config)}`;
    return weakness === null ? ok(`${text}, up to date, ${kept}`) : warning(`${text}: ${weakness}`);
  } finally {
    await ledgerStore.close();
  }
}

async function openOrReport(config: Config, report: Report): Promise<Services | null> {
  let services: Services | null = null;
  await report({
    name: 'store',
    run: async () => {
      services = await createServices(config);
      return ok('opened, up to date');
    },
  });
  return services;
}

function checksOf({ config, index, network }: Services): Check[] {
  return [
    {
      name: 'index',
      run: async () => {
        const problems = await index.problems();
        if (problems.length > 0)
          return failure(`${problems.join('; ')}: stop the server, then run sanderling index rebuild`);
        const rebuilding = index.rebuilding();
        if (rebuilding !== null) return warning(`being rebuilt: ${progressInWords(rebuilding)}`);
        const { pages, hosts } = await index.size();
        if (pages === 0) return warning('empty: fill it with sanderling crawl https://docs.example.org');
        const reads = config.indexReads ? '' : '; pages read for callers are left out (INDEX_READS=off)';
        return ok(`${sizeInWords({ pages, hosts })}, all tables agree${reads}`);
      },
    },
    {
      name: 'network',
      run: async () => {
        try {
          const { status } = await network.fetch({ url: PROBE_URL, timeoutMs: PROBE_MS });
          return status < 500 ? ok(`${PROBE_URL} answers`) : warning(`${PROBE_URL} answers ${status}`);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          const problem =
            error.fetch?.reason === 'dns'
              ? 'host names do not resolve: check DNS_SERVERS'
              : `${PROBE_URL} cannot be reached (${error.message})`;
          return warning(`${problem}; public pages cannot be read`);
        }
      },
    },
  ];
}
