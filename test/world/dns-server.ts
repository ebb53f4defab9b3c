import { createSocket, type RemoteInfo } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet';

/** What the world's name server says about one name. */
export type NameAnswer =
  /** These addresses; A or AAAA by their form. */
  | readonly string[]
  | { addresses: readonly string[]; ttl?: number; cname?: string }
  | 'no such name'
  | 'server failure'
  | 'silence'
  /** Decides anew for every question; `asked` counts from 1, by name and record type. */
  | ((asked: number, type: 'A' | 'AAAA') => NameAnswer);

export type WorldDns = {
  /** `host:port`, as DNS_SERVERS wants it. */
  readonly address: string;
  /** Questions about a name, of one record type. */
  asked(name: string, type?: 'A' | 'AAAA'): number;
  set(name: string, answer: NameAnswer): void;
  close(): Promise<void>;
};

/** As behind a network that drops everything. */
export const DROPPED: Record<string, NameAnswer> = { '*.org': 'silence', '*.com': 'silence' };

const TTL_SECONDS = 60;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;
const AUTHORITATIVE = 1 << 10;

/**
 * A name server on loopback. A name that is not listed does not exist; `*.example.com` in the list stands for every
 * name below it.
 */
export async function startDns(names: Record<string, NameAnswer>): Promise<WorldDns> {
  const answers = new Map(Object.entries(names));
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');

  const answerTo = ({ name, type }: Question): NameAnswer => {
    const key = `${type} ${name.toLowerCase()}`;
    const asked = (counts.get(key) ?? 0) + 1;
    counts.set(key, asked);
    let answer = find(answers, name.toLowerCase());
    while (typeof answer === 'function') answer = answer(asked, type === 'AAAA' ? 'AAAA' : 'A');
    return answer;
  };

  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const query = decode(message);
    const [question] = query.questions ?? [];
    if (question === undefined) return;
    const answer = answerTo(question);
    if (answer === 'silence') return;
    socket.send(encode(reply(query, question, answer)), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: (name, type = 'A') => counts.get(`${type} ${name}`) ?? 0,
    set: (name, answer) => answers.set(name, answer),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function find(answers: Map<string, NameAnswer>, name: string): NameAnswer {
  const exact = answers.get(name);
  if (exact !== undefined) return exact;
  const parents = name.split('.').map((_, at, labels) => `*.${labels.slice(at + 1).join('.')}`);
  const wildcard = parents.find((parent) => answers.has(parent));
  return (wildcard === undefined ? undefined : answers.get(wildcard)) ?? 'no such name';
}

function reply(query: Packet, question: Question, answer: Exclude<NameAnswer, () => unknown>): Packet {
  const rcode = answer === 'no such name' ? NAME_ERROR : answer === 'server failure' ? SERVER_FAILURE : 0;
  return {
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE | rcode,
    questions: [question],
    answers: typeof answer === 'string' || typeof answer === 'function' ? [] : records(question, answer),
  };
}

function records(
  { name, type }: Question,
  answer: readonly string[] | { addresses: readonly string[]; ttl?: number; cname?: string },
): Answer[] {
  const { addresses, ttl = TTL_SECONDS, cname } = 'addresses' in answer ? answer : { addresses: answer };
  const alias: Answer[] = cname === undefined ? [] : [{ type: 'CNAME', name, ttl, data: cname }];
  const wanted = addresses.filter((address) => (isIPv6(address) ? 'AAAA' : 'A') === type);
  return [...alias, ...wanted.map((data): Answer => recordOf(cname ?? name, ttl, data))];
}

function recordOf(name: string, ttl: number, data: string): Answer {
  return isIPv6(data) ? { type: 'AAAA', name, ttl, data } : { type: 'A', name, ttl, data };
}
