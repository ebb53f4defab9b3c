import { loadedByFirstUse } from '../../platform/loaded-once.ts';
import type { FreeRoute } from '../calls/call.ts';

type Handle = FreeRoute['handle'];

/** A handler that the first request loads, so that a start neither waits for it nor keeps it in memory. */
export function laterHandler(load: () => Promise<Handle>): Handle {
  const loaded = loadedByFirstUse(load);
  return async (call, runAlso) => (await loaded())(call, runAlso);
}

/** The same for handlers of one part of the service, which the first request to any of them loads. */
export function laterHandlers<Part>(load: () => Promise<Part>): (pick: (part: Part) => Handle) => Handle {
  const loaded = loadedByFirstUse(load);
  return (pick) => laterHandler(async () => pick(await loaded()));
}
