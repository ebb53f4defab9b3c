import { randomUUID } from 'node:crypto';
import type { CDPSession } from 'puppeteer-core';
import { fetchFailed } from '../contract/errors.ts';
import { PAGE_BYTES_MAX } from '../contract/limits.ts';
import { RENDER_LIMITS, type RenderOrder } from '../pages/rendering/render-wire.ts';
import { MARK_FRAME, MEASURE, TAKE } from './page-scripts.ts';
import { type PageWorld, worldOf } from './page-world.ts';
import { FRAMES_MAX, PICTURE_HEIGHT_MAX, VIEWPORT } from './render-limits.ts';

type Frame = { frame: { id: string; url: string }; childFrames?: Frame[] };

const FRAME_CHARS_MIN = 100;

/** The page as HTML, with the text of its larger frames in their places. Throws `fetch_failed` 'too_large'. */
export async function takePage(session: CDPSession, world: PageWorld): Promise<string> {
  const { frameTree }: { frameTree: Frame } = await session.send('Page.getFrameTree');
  const nonce = randomUUID();
  const texts = new Map<string, string>();
  for (const { frame } of (frameTree.childFrames ?? []).slice(0, FRAMES_MAX)) {
    const mark = `${nonce}:${texts.size}`;
    // A frame that cannot be read is left out, as it would be without a browser.
    const html = await takeFrame(session, { world, frameId: frame.id, mark }).catch(() => null);
    if (html !== null) texts.set(mark, html);
  }
  const whole = await take(world, { onlyBody: false });
  return [...texts].reduce(
    (html, [mark, text]) => html.replace(`<!--${mark}-->`, () => `<div>${text}</div>`),
    whole,
  );
}

async function take(world: PageWorld, { onlyBody }: { onlyBody: boolean }): Promise<string> {
  const taken = await world.call<{ html: string } | { isTooLarge: true }>(TAKE, PAGE_BYTES_MAX, onlyBody);
  if ('html' in taken) return taken.html;
  throw fetchFailed('too_large', 'the page is larger than 5 MB once its scripts have run');
}

/** The body of a frame, once a mark stands in its place; null where it shows no text, or is too small to be part of the page. */
async function takeFrame(
  session: CDPSession,
  { world, frameId, mark }: { world: PageWorld; frameId: string; mark: string },
): Promise<string | null> {
  const own = worldOf(session, frameId);
  const { chars } = await own.call<{ chars: number }>(MEASURE);
  if (chars < FRAME_CHARS_MIN) return null;
  const html = await take(own, { onlyBody: true });
  const { backendNodeId } = await session.send('DOM.getFrameOwner', { frameId });
  const { object } = await session.send('DOM.resolveNode', {
    backendNodeId,
    executionContextId: await world.context(),
  });
  if (object.objectId === undefined) return null;
  const { result } = await session.send('Runtime.callFunctionOn', {
    functionDeclaration: MARK_FRAME,
    objectId: object.objectId,
    arguments: [{ value: mark }],
    returnByValue: true,
  });
  return result.value === true ? html : null;
}

/** A picture that is too large is taken again at half of its size, and again. */
const SCALES = [1, 0.5, 0.25];

/** A PNG in base64 of what a window shows, or of the whole page up to a height. Throws `fetch_failed` 'too_large'. */
export async function takePicture(
  session: CDPSession,
  of: NonNullable<RenderOrder['screenshot']>,
): Promise<string> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const isWhole = of === 'page';
  const width = isWhole ? Math.min(Math.max(cssContentSize.width, 1), VIEWPORT.width) : VIEWPORT.width;
  const height = isWhole ? Math.min(Math.max(cssContentSize.height, 1), PICTURE_HEIGHT_MAX) : VIEWPORT.height;
  for (const scale of SCALES) {
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: isWhole,
      clip: { x: 0, y: 0, width, height, scale },
    });
    if (data.length * 0.75 <= RENDER_LIMITS.screenshotBytesMax) return data;
  }
  throw fetchFailed('too_large', 'the picture of the page is too large');
}
