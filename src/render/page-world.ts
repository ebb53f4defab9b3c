import type { CDPSession } from 'puppeteer-core';

const WORLD = 'sanderling';

/** A place in which scripts of ours run beside a page, out of reach of the page's own. */
export type PageWorld = {
  /** Calls a function, written as text, with plain data. Throws while the document is being replaced. */
  call<T>(script: string, ...args: unknown[]): Promise<T>;
  /** Its number for the browser. */
  context(): Promise<number>;
};

/** The world beside a frame, made anew when the frame has another document. */
export function worldOf(session: CDPSession, frameId: string): PageWorld {
  let id: number | null = null;
  const context = async (): Promise<number> => {
    if (id === null) {
      const made = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
      id = made.executionContextId;
    }
    return id;
  };
  return {
    context,
    async call(script, ...args) {
      try {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
          expression: `(${script})(${args.map((value) => JSON.stringify(value)).join(', ')})`,
          contextId: await context(),
          returnByValue: true,
        });
        if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
        return result.value;
      } catch (error) {
        id = null;
        throw error;
      }
    },
  };
}
