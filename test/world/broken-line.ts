import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server, on loopback, that a test can break. */
export type BrokenLine = {
  port: number;
  /** Ends all connections and takes no more. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** From now on passes nothing on, in either direction, and still takes connections. Whatever was under way waits. */
  stall(): void;
  /** Passes everything on again, beginning with what has waited. */
  resume(): void;
  /** From now on lets so many replies through, then loses one together with its connection: the server has done what it was asked. */
  loseReplyAfter(replies: number): void;
  close(): Promise<void>;
};

export async function createBrokenLine(to: { host: string; port: number }): Promise<BrokenLine> {
  const sockets = new Set<Socket>();
  let untilLoss = Number.POSITIVE_INFINITY;
  let isStalled = false;
  const server = createServer((near) => {
    const far = connect(to);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      // Its end is told by `close`, whatever the cause.
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', (request) => far.write(request));
    if (isStalled) near.pause();
    far.on('data', (reply) => {
      untilLoss -= 1;
      if (untilLoss !== -1) near.write(reply);
      else {
        untilLoss = Number.POSITIVE_INFINITY;
        near.destroy();
      }
    });
  });
  const port = await listen(server, 0);
  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    port,
    cut,
    mend: async () => void (await listen(server, port)),
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    loseReplyAfter(replies) {
      untilLoss = replies;
    },
    close: cut,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
}
