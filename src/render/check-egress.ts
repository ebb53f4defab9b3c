import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { openDecoy } from '../platform/net/proxy/decoy.ts';

/** Long enough for a browser to send what it would send. */
const WAIT_MS = 600;

/**
 * Lets a page of our own try to reach this machine past the proxy, over TCP and UDP, before any foreign page can: names of flags change
 * from one Chromium to the next, and one that is not known has no effect. Throws if anything arrives.
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
