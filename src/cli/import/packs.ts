import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createServices, type Services } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import { generatePackKey, InvalidPack } from '../../crawl/import/packs/open-pack.ts';
import { publishPack } from '../../crawl/import/packs/publish-pack.ts';
import { createPacks, type Packs, type Subscription } from '../../crawl/import/packs/update-pack.ts';
import { parseSelector } from '../../index/upkeep/page-selector.ts';
import { systemClock } from '../../platform/clock.ts';
import { createProgressLine, formatCount } from '../progress-line.ts';
import { watchInterruption } from '../until-interrupted.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

type PublishOptions = { to: string; key?: string; name?: string; title?: string; licence?: string };

/** `sanderling packs publish`: like all commands here, resolves to the exit code. */
export async function publish(
  config: Config,
  which: string[],
  { to, key, ...described }: PublishOptions,
): Promise<number> {
  const selectors = which.length === 0 ? null : which.map(parseSelector);
  const keyFile = key ?? resolve(config.dataDir, 'pack-key.pem');
  const pem = await readOrCreateKey(keyFile);
  const services = await createServices(config);
  try {
    const request = { folder: to, key: pem, selectors, ...described };
    const { manifest, pages, changed, removed, withheld } = await publishPack(request, services);
    const { name, version, key: publicKey } = manifest;
    print(
      `${name}, version ${version}: ${formatCount(pages, 'page')}, ${changed} new or changed, ${removed} removed`,
    );
    if (withheld > 0)
      print(
        `${formatCount(withheld, 'page')} left out: pages of libraries, and of addresses that are not public`,
      );
    print(`Serve ${resolve(to)} from any web server. Subscribers run:`);
    print(`  sanderling packs subscribe <its URL> --key ${publicKey}`);
    if (key === undefined)
      print(`The signing key is ${keyFile}. Keep a copy: only its owner can publish updates.`);
    return pages > 0 ? 0 : 1;
  } finally {
    await services.close();
  }
}

async function readOrCreateKey(path: string): Promise<string> {
  if (!existsSync(path)) await writeFile(path, generatePackKey(), { mode: 0o600, flag: 'wx' });
  return readFile(path, 'utf8');
}

/** `sanderling packs subscribe`. */
export function subscribe(
  config: Config,
  address: string,
  { key = null }: { key?: string | null },
): Promise<number> {
  return withPacks(config, async (packs, signal) => {
    const subscription = await packs.subscribe({ address, key, signal });
    print(`${subscription.title}, licence: ${subscription.licence}`);
    print(`Signed by ${subscription.key}`);
    return showUpdate(packs, subscription, signal);
  });
}

/** `sanderling packs update`: 1 if one of the packs could not be updated. */
export function update(config: Config, name: string | undefined): Promise<number> {
  return withPacks(config, async (packs, signal) => {
    const chosen = (await packs.list()).filter((one) => name === undefined || one.name === name);
    if (chosen.length === 0) throw new InvalidPack(describeNone(name));
    let code = 0;
    for (const subscription of chosen) {
      try {
        code = Math.max(code, await showUpdate(packs, subscription, signal));
      } catch (error) {
        // The others are updated all the same.
        if (!(error instanceof Error) || signal.aborted) throw error;
        print(`${subscription.name}: ${error.message}`);
        code = 1;
      }
    }
    return code;
  });
}

const describeNone = (name: string | undefined): string =>
  name === undefined
    ? 'no pack is followed yet; sanderling packs subscribe <URL> follows one'
    : `no pack ${name} is followed; sanderling packs followed lists them`;

async function showUpdate(packs: Packs, subscription: Subscription, signal: AbortSignal): Promise<number> {
  const progress = createProgressLine(process.stderr, systemClock);
  const { pages, failed, removed, kept, problems, ended, ...updated } = await packs
    .update({
      subscription,
      signal,
      onProgress: (counts) =>
        progress.show({ done: counts.pages, total: null, unit: 'page', facts: [`${counts.failed} failed`] }),
    })
    .finally(progress.stop);
  for (const problem of problems) print(`  ${problem}`);
  const { name, version } = updated.subscription;
  const facts = [
    `${formatCount(pages, 'page')} imported`,
    `${failed} refused`,
    `${removed} removed`,
    `${kept} kept as they were`,
  ];
  print(`${name}, version ${version}: ${facts.join(', ')}`);
  if (ended === 'complete') return 0;
  print(`Interrupted. sanderling packs update ${name} resumes.`);
  return 1;
}

/** `sanderling packs followed`: 1 if there are none. */
export function listFollowed(config: Config, { json }: { json?: boolean }): Promise<number> {
  return withPacks(config, async (packs) => {
    const followed = await packs.list();
    if (json) print(JSON.stringify(followed, null, 2));
    else if (followed.length === 0) process.stderr.write(`${describeNone(undefined)}\n`);
    else
      for (const { name, version, title, address } of followed)
        print(`${name}  version ${version}  ${title}  ${address}`);
    return followed.length > 0 ? 0 : 1;
  });
}

/** `sanderling packs unsubscribe`: 1 if the pack was not followed. */
export function unsubscribe(config: Config, name: string): Promise<number> {
  return withPacks(config, async (packs) => {
    if (!(await packs.unsubscribe(name))) throw new InvalidPack(describeNone(name));
    print(`${name} is no longer followed. Its pages stay; sanderling index forget deletes those of a host.`);
    return 0;
  });
}

async function withPacks(
  config: Config,
  work: (packs: Packs, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const services = await createServices(config);
  const interruption = watchInterruption();
  try {
    return await work(composePacks(services), interruption.signal);
  } finally {
    interruption.stop();
    await services.close();
  }
}

function composePacks({ config, store, index, clock, network, pages, operations }: Services): Packs {
  return createPacks({
    store,
    index,
    clock,
    fetch: network.fetch,
    extract: pages.extract,
    forget: operations.forget,
    folder: resolve(config.dataDir, 'import-state'),
  });
}
