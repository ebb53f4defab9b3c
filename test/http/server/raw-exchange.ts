import { connect } from 'node:net';

/** Sends bytes on a fresh connection and resolves to all that came back when the server closed it. */
export function rawExchange(address: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      got += text;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });
}
