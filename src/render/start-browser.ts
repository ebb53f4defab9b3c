import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'puppeteer-core';
import { PRODUCT } from '../platform/net/guarded-fetch.ts';

/** Limits of the rendering process. Times are in milliseconds. */
export const LIMITS = {
  /** Maximum number of pages at once, each in its own context. */
  pagesAtOnce: 4,
  /** Maximum number of pages that wait for a turn. */
  waitingMax: 40,
  /** A browser is replaced after this many pages, or when all its processes take more than this much memory. */
  pagesPerBrowser: 200,
  memoryMbMax: 1_500,
  /** A page's process above this is killed, and the page with it. */
  rendererMbMax: 700,
  watchMs: 250,
  /** Maximum heap of V8 for one page. */
  heapMb: 512,
  startMs: 20_000,
  /** A page or a browser that takes longer to close is killed. */
  closeMs: 2_000,
  /** Maximum bytes on the wire for one page. */
  bytesMax: 31_457_280,
  requestsMax: 1_000,
  orderBytesMax: 65_536,
  /** Popups are closed at once; a page that opens more than this fails. */
  popupsMax: 20,
  dialogsMax: 50,
  /** Maximum number of successive documents in the main frame of a page. */
  documentsMax: 10,
} as const;
/** Conditions for taking a page as complete. */
export const SETTLING = {
  pollMs: 60,
  /** The network must be quiet and the text unchanged for this long. */
  quietMs: 240,
  /** Extra time for a page that shows next to nothing. */
  emptyMs: 3_500,
  /** Extra time if a frame may show the content: its text is not visible from outside. */
  framesMs: 1_200,
  emptyChars: 150,
  /** A request that takes longer counts as a stream. */
  requestMs: 2_000,
  allMs: 8_000,
  scrolls: 4,
  scrollMs: 2_500,
  /** Time reserved at the end of an order for taking the page. */
  takeMs: 1_500,
} as const;
export const VIEWPORT = { width: 1_280, height: 1_024 } as const;
/** Maximum height of a screenshot of a whole page. */
export const PICTURE_HEIGHT_MAX = 10_000;
/** Maximum number of frames whose text becomes part of the page. */
export const FRAMES_MAX = 10;

/**
 * The package with the dependencies of rendering, separate from that of the runtime; a clone with its development dependencies has them
 * already.
 */
const LOCKED = join(import.meta.dirname, '../../runtime/render/package.json');

/** Paths at which Debian and others install Chromium. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/lib/chromium/chromium',
  '/usr/bin/google-chrome',
];

/** An installed Chromium. */
type Chromium = {
  program: string;
  /** For example "156.0.8078.79". */
  version: string;
  /** False only where the operator has disabled it. */
  sandbox: boolean;
};

export type StartedBrowser = {
  browser: Browser;
  pid: number;
  /** Ends all its processes and removes its profile; never throws. */
  end(): Promise<void>;
};

/** Finds the program (null: at one of PLACES) and asks for its version. Throws an error that says what to install. */
export async function findChromium(named: string | null, sandbox: boolean): Promise<Chromium> {
  const program = (named === null ? PLACES : [named]).find((path) => existsSync(path));
  if (program === undefined)
    throw new Error(
      named === null
        ? 'no Chromium is installed: run apt-get install chromium, or set RENDER_CHROMIUM to its path'
        : `RENDER_CHROMIUM: ${named} does not exist`,
    );
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: LIMITS.startMs });
  const [version] = /\b\d{1,6}(?:\.\d{1,6}){1,5}/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`RENDER_CHROMIUM: ${program} is no Chromium`);
  return { program, version, sandbox };
}

/** Builds a truthful user agent: that of headless Chrome, with the name of the service. */
const buildUserAgent = ({ version }: Pick<Chromium, 'version'>): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/${version.split('.')[0]}.0.0.0 Safari/537.36 (${PRODUCT})`;

/**
 * Starts a Chromium that is driven over a pipe, with a profile that is removed when it ends. `deadEnd` is a proxy that refuses
 * everything: each page gets a proxy with its context, and the browser itself must request nothing. `authorities` are certificates in
 * PEM that it trusts beside its own.
 */
export async function startBrowser(
  chromium: Chromium,
  deadEnd: string,
  authorities: readonly string[] = [],
): Promise<StartedBrowser> {
  const { launch } = await loadPuppeteer();
  const home = mkdtempSync(join(tmpdir(), 'sanderling-render-'));
  await trustAuthorities(home, authorities).catch((error: unknown) => {
    rmSync(home, { recursive: true, force: true });
    throw error;
  });
  const browser = await launch({
    executablePath: chromium.program,
    pipe: true,
    headless: true,
    timeout: LIMITS.startMs,
    userDataDir: join(home, 'profile'),
    defaultViewport: VIEWPORT,
    // Our environment holds secrets, so none of it is passed on.
    env: {
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      TMPDIR: home,
      LANG: 'en_US.UTF-8',
      PATH: '/usr/bin:/bin',
    },
    args: [
      ...FLAGS,
      `--proxy-server=${deadEnd}`,
      `--user-agent=${buildUserAgent(chromium)}`,
      ...(chromium.sandbox ? [] : ['--no-sandbox']),
    ],
    ignoreDefaultArgs: ['--disable-popup-blocking', '--allow-pre-commit-input'],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }).catch((error: unknown) => {
    rmSync(home, { recursive: true, force: true });
    throw new Error(`Chromium did not start: ${pickFirstLine(error)}`, { cause: error });
  });
  return {
    browser,
    pid: browser.process()?.pid ?? 0,
    end: async () => {
      await limitTime(browser.close()).catch(() => {});
      browser.process()?.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    },
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]{1,20000}-----END CERTIFICATE-----/g;

/** Reads the certificates of a file, while the process may still read it; null: none. */
export function readAuthorities(file: string | null): readonly string[] {
  return file === null ? [] : [...readFileSync(file, 'utf8').matchAll(CERTIFICATE)].map(([text]) => text);
}

/** Writes the certificates into the database of the browser's home, with the program that comes with Chromium's own library. */
async function trustAuthorities(home: string, authorities: readonly string[]): Promise<void> {
  if (authorities.length === 0) return;
  const folder = join(home, '.pki/nssdb');
  mkdirSync(folder, { recursive: true });
  const run = (...more: string[]): Promise<unknown> =>
    promisify(execFile)('certutil', ['-d', `sql:${folder}`, ...more], { timeout: LIMITS.startMs });
  try {
    await run('-N', '--empty-password');
    for (const [at, text] of authorities.entries()) {
      const file = join(home, `authority-${at}.pem`);
      writeFileSync(file, text);
      await run('-A', '-n', `authority-${at}`, '-t', 'C,,', '-i', file);
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('EGRESS_CA_FILE needs certutil for the browser: run apt-get install libnss3-tools', {
        cause,
      });
    throw new Error('EGRESS_CA_FILE: the browser cannot use its certificates', { cause });
  }
}

const pickFirstLine = (error: unknown): string =>
  String((error as Error).message ?? error).split('\n')[0] ?? '';

/** Rejects when the browser takes longer than `ms` to answer. */
export function limitTime<T>(work: Promise<T>, ms: number = LIMITS.closeMs): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the browser does not answer')), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

const FLAGS = [
  // All traffic goes through a proxy, including addresses of this machine and WebRTC, whose flag had another name before.
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--webrtc-max-cpu-consumption-percentage=1',
  // The browser's background services stay off.
  ...['--no-first-run', '--no-default-browser-check', '--disable-background-networking', '--disable-sync'],
  ...[
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-client-side-phishing-detection',
  ],
  ...['--disable-default-apps', '--disable-extensions', '--disable-notifications', '--no-pings'],
  ...['--disable-breakpad', '--disable-crash-reporter', '--metrics-recording-only', '--no-service-autorun'],
  ...[
    '--disable-print-preview',
    '--disable-speech-api',
    '--disable-file-system',
    '--deny-permission-prompts',
  ],
  ...[
    '--lang=en',
    '--accept-lang=en',
    '--mute-audio',
    '--hide-scrollbars',
    '--disable-gpu',
    '--disable-dev-shm-usage',
  ],
  `--js-flags=--max-old-space-size=${LIMITS.heapMb}`,
  // Each page has one process, with no data of other pages and no credentials near it.
  '--disable-site-isolation-trials',
  `--disable-features=${[
    ...['IsolateOrigins', 'site-per-process', 'Translate', 'OptimizationHints', 'MediaRouter'],
    ...['DialMediaRouteProvider', 'InterestFeedContentSuggestions', 'AutofillServerCommunication'],
    ...['CertificateTransparencyComponentUpdater', 'PrivacySandboxSettings4', 'WebBluetooth', 'WebUSB'],
    ...['AcceptCHFrame', 'NetworkPrediction', 'Prerender2', 'HttpsUpgrades', 'GlobalMediaControls'],
  ].join(',')}`,
];

/** Loads the library that drives the browser; no other process loads it. Throws an error that says how to install it. */
export async function loadPuppeteer(): Promise<typeof import('puppeteer-core')> {
  let path: string;
  try {
    path = createRequire(LOCKED).resolve('puppeteer-core');
  } catch (cause) {
    throw new Error(
      `puppeteer-core is not installed: run npm ci --ignore-scripts --prefix ${dirname(LOCKED)}`,
      { cause },
    );
  }
  return await import(pathToFileURL(path).href);
}
