import { createLazyLoader } from '../../platform/lazy.ts';
import type { FreeRoute } from '../calls/call.ts';

type RouteHandler = FreeRoute['handle'];

/** Creates a handler that the first request loads, so that it costs no time and memory at the start. */
export function createLazyHandler(load: () => Promise<RouteHandler>): RouteHandler {
  const loaded = createLazyLoader(load);
  return async (call, runAlso) => (await loaded())(call, runAlso);
}

/** Does the same for the handlers of one part of the service, which the first request to any of them loads. */
export function createLazyHandlers<Part>(
  load: () => Promise<Part>,
): (pick: (part: Part) => RouteHandler) => RouteHandler {
  const loaded = createLazyLoader(load);
  return (pick) => createLazyHandler(async () => pick(await loaded()));
}
