// Usage: node bare-fastify.mjs [threads]. A server with one route and so many threads that do nothing: what Node and its framework take.
import { enableCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';

enableCompileCache();
const { fastify } = await import('fastify');
const app = fastify();
app.get('/readyz', () => ({ status: 'ready' }));
for (let thread = 0; thread < Number(process.argv[2] ?? 0); thread += 1)
  new Worker('setInterval(() => {}, 1_000_000)', { eval: true });
process.stdout.write(`serves on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
