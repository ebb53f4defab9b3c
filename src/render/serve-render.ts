import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import type { Log } from '../platform/log.ts';
import type { EgressSettings } from '../platform/net/egress/egress.ts';
import { openDecoy } from '../platform/net/proxy/decoy.ts';
import { createGuardedProxies } from '../platform/net/proxy/guarded-proxy.ts';
import { BrowserPool } from './browser-pool.ts';
import { createRenderServer } from './render-server.ts';
import { createRenderer } from './renderer.ts';
import { findChromium, loadPuppeteer, readAuthorities, startBrowser } from './start-browser.ts';

/** Time in which a browser would have sent its requests. */
const WAIT_MS = 600;

const TRY = `async (port) => {
  const host = '127.0.0.1:' + port;
  self.fetch('http://' + host + '/', { mode: 'no-cors' }).catch(() => {});
  new Image().src = 'http://localhost:' + port + '/';
  try { new WebSocket('ws://' + host + '/'); } catch {}
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + host }] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
  const candidate = 'candidate:1 1 udp 2122260223 127.0.0.1 ' + port + ' typ host';
  const sdp = peer.localDescription.sdp.replace('a=setup:actpass', 'a=setup:active');
  await peer.setRemoteDescription({ type: 'answer', sdp }).catch(() => {});
  await peer.addIceCandidate({ candidate, sdpMid: '0' }).catch(() => {});
}`;

type RenderSettings = {
  host: string;
  port: number;
  token: string;
  chromium: string | null;
  sandbox: boolean;
  /** The user that the process becomes when root starts it. */
  user: string;
  /** Private networks that pages may be read from, as in the service. */
  allowPrivate: readonly string[];
  dnsServers: readonly string[];
  egress: EgressSettings | null;
};

export type RenderService = {
  address: string;
  /** A description of the browser that says whether its sandbox is on. */
  about: string;
  /** Finishes running pages within DRAIN_MS, and ends the browser. */
  close(): Promise<void>;
};

const DRAIN_MS = 8_000;

/** Starts a browser and listens; rejects with an error that says what to fix. */
export async function serveRender(settings: RenderSettings, log: Log): Promise<RenderService> {
  // The library is loaded while the process may still read its own files.
  await loadPuppeteer();
  const proxies = createGuardedProxies(settings);
  const authorities = readAuthorities(settings.egress?.caFile ?? null);
  dropRights(settings.user);
  const chromium = await findChromium(settings.chromium, settings.sandbox);
  // The browser's own requests, which belong to no page, are refused by this proxy.
  const deadEnd = await proxies.open({ bytesMax: 0, requestsMax: 0 });
  const pool = new BrowserPool({ start: () => startBrowser(chromium, deadEnd.address, authorities), log });
  const renderer = createRenderer({ pool, proxies, log });
  const about = { browser: `Chromium ${chromium.version}`, sandbox: chromium.sandbox };
  const { server, drain } = createRenderServer({ renderer, token: settings.token, about, log });
  const close = async (): Promise<void> => {
    await Promise.race([drain(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
    server.closeAllConnections();
    await pool.close();
    await deadEnd.close();
    proxies.close();
  };
  try {
    // A browser that cannot start, or that bypasses the proxy, is detected before the first page.
    const { browser, release } = await pool.lease();
    await checkEgress(browser, deadEnd.address).finally(() => release(true));
    const address = await listen(server, settings);
    return {
      address,
      about: `${about.browser}, ${about.sandbox ? 'in its sandbox' : 'WITHOUT A SANDBOX'}`,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function listen(server: Server, { host, port }: RenderSettings): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { address, family, port: chosen } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`);
    });
  });
}

/**
 * Switches a process that root started to a user without rights, for good, because a browser must not run as root. Does nothing where
 * another user started it. Throws an error that says what to set.
 */
function dropRights(user: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = readUserIds(user);
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Reads the ids of a user from the system's list of users. */
function readUserIds(user: string): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = lines.map((line) => line.split(':')).find(([name]) => name === user) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error(
      `RENDER_USER: there is no user ${user}; name one without rights, or start as another user than root`,
    );
  if (Number(uid) === 0) throw new Error('RENDER_USER: a browser must not run as root');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Lets a page of our own try to reach this machine past the proxy, over TCP and UDP, before any foreign page can: Chromium renames its
 * flags from one version to the next, and ignores unknown ones. Throws if anything arrives.
 */
export async function checkEgress(browser: Browser, deadEnd: string): Promise<void> {
  const decoy = await openDecoy();
  try {
    const context = await browser.createBrowserContext({
      proxyServer: deadEnd,
      proxyBypassList: ['<-loopback>'],
    });
    const page = await context.newPage();
    await page.evaluate(`(${TRY})(${decoy.port})`);
    await sleep(WAIT_MS);
    await context.close();
    if (decoy.visits() > 0)
      throw new Error(
        'this Chromium lets pages reach addresses past the proxy, so it is not used: install another version',
      );
  } finally {
    decoy.close();
  }
}
