import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { extname, join, normalize } from 'node:path';

export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => unknown;
/** A page given as its HTML, or a function that answers by hand. */
export type Route = string | RouteHandler;

export type WorldWeb = {
  readonly port: number;
  /** `http://127.10.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  /** The origin under another host name, for names of the world's DNS. */
  as(host: string): string;
  /** Requests for one path, or all of them. */
  hits(path?: string): number;
  /** Connections accepted. */
  connections(): number;
  close(): Promise<void>;
};

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.xml': 'application/xml',
  '.json': 'application/json',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
};

/**
 * A web server on a loopback address (all of 127.0.0.0/8 is there to be used; give two servers the same port to make
 * them look like two hosts). A path is looked for among `routes` (without its query), then in `folder` (a folder's
 * page is its index.html), else 404.
 */
export async function startWeb(options: {
  address?: string;
  port?: number;
  routes?: Record<string, Route>;
  folder?: string;
  /** Answers by hand whatever no route answers. */
  fallback?: RouteHandler;
}): Promise<WorldWeb> {
  const counts = new Map<string, number>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    const route = options.routes?.[path];
    if (typeof route === 'function') await route(request, response);
    else if (route !== undefined) response.setHeader('content-type', 'text/html; charset=utf-8').end(route);
    else if (options.fallback !== undefined) await options.fallback(request, response);
    else if (options.folder !== undefined) await sendFile(response, options.folder, path);
    else notFound(response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const address = options.address ?? '127.10.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${address}:${port}`,
    as: (host) => `http://${host}:${port}`,
    hits: (path) =>
      path === undefined ? [...counts.values()].reduce((sum, n) => sum + n, 0) : (counts.get(path) ?? 0),
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type RawServer = {
  readonly port: number;
  readonly origin: string;
  connections(): number;
  close(): Promise<void>;
};

/** A server that writes what it likes: `talk` is called for every request, with the socket and the request's text. */
export async function startRawServer(
  talk: (socket: Socket, request: string) => unknown,
  options: { address?: string } = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createRawServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.setEncoding('latin1').on('data', (text) => talk(socket, String(text)));
  });
  const address = options.address ?? '127.10.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${address}:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function sendFile(response: ServerResponse, folder: string, path: string): Promise<void> {
  const inside = normalize(decodeURIComponent(path)).replace(/^(?:\.\.(?:\/|$))+/, '');
  let file = join(folder, inside);
  try {
    if ((await stat(file)).isDirectory()) {
      if (!path.endsWith('/')) {
        response.writeHead(301, { location: `${path}/` }).end();
        return;
      }
      file = join(file, 'index.html');
    }
    const body = await readFile(file);
    response.setHeader(
      'content-type',
      CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
    );
    response.end(body);
  } catch {
    notFound(response);
  }
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('not found\n');
}
