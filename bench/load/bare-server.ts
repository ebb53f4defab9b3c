import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cpuMsOf } from '../processes/measured-process.ts';
import type { Tried } from './fire.ts';

/** A process that serves nothing but one answer, through the framework alone. */
export type BareServer = {
  address: string;
  answerWith(answer: Tried): Promise<void>;
  cpuMs(): number;
  stop(): void;
};

export async function startBare(): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-fastify-route.mjs'));
  const [address] = await once(child, 'message');
  return {
    address: String(address),
    async answerWith(answer) {
      child.send(answer);
      await once(child, 'message');
    },
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    stop: () => child.kill(),
  };
}
