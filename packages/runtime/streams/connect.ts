import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';

/** How long one side of a connection may go on after the other has ended, in seconds. */
const halfOpenSeconds = 30;

/** A connection to a port on the pod's loopback, IPv4 first; made inside the pod's network namespace. */
export async function connectInNamespace(netnsPath: string, port: number): Promise<Duplex> {
  const failures: string[] = [];
  for (const address of [`TCP4:127.0.0.1:${port}`, `TCP6:[::1]:${port}`]) {
    try {
      return await connect(netnsPath, address);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new Error(`failed to connect to localhost:${port} inside the pod's network namespace: ${failures.join(', ')}`);
}

function connect(netnsPath: string, address: string): Promise<Duplex> {
  const socat = ['socat', '-d', '-d', '-t', String(halfOpenSeconds), '-', address];
  const command = netnsPath === 'host' ? socat : ['nsenter', `--net=${netnsPath}`, '--', ...socat];
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: 'pipe' });
  return new Promise((resolve, reject) => {
    let words = '';
    let connected = false;
    child.on('error', reject);
    child.on('close', () => reject(new Error(lastError(words))));
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-4096);
      // The server has ended its side; socat itself would wait for the client to end, too.
      if (words.includes('socket 2') && / is at EOF/.test(words.slice(words.indexOf('socket 2')))) child.stdin.end();
      if (connected || !words.includes('successfully connected')) return;
      connected = true;
      // Node's types do not know this form of `from`.
      const pair: unknown = { readable: child.stdout, writable: child.stdin };
      const connection = Duplex.from(pair as NodeJS.ReadableStream);
      connection.on('close', () => child.kill('SIGKILL'));
      resolve(connection);
    });
  });
}

function lastError(words: string): string {
  const line = words.split('\n').find((candidate) => / E /.test(candidate));
  return line ? line.replace(/^.* E /, '') : words.trim() || 'no connection';
}
