// A Fastify server with one answer for every request, as a plain handler returns it: an object for JSON, else a string. The answer
// comes as a message of the parent process.
import { fastify } from 'fastify';

let answer = { status: 200, contentType: 'text/plain', body: '' };
const app = fastify();
const respond = (_request, reply) => reply.status(answer.status).type(answer.contentType).send(answer.body);
app.get('/*', respond);
app.post('/*', respond);
process.on('message', (given) => {
  answer = given.contentType.startsWith('application/json')
    ? { ...given, body: JSON.parse(given.body) }
    : given;
  process.send('taken');
});
process.send(await app.listen({ port: 0, host: '127.0.0.1' }));
