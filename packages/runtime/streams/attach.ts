import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { resizeTerminal } from '../containers/conmon.ts';
import type { RemoteStreams } from './requests.ts';

/**
 * conmon's attach socket keeps the bounds of packets, which Node's sockets cannot read: perl (always there on Debian)
 * hands each packet on with its length, and passes standard input the other way.
 */
const bridge = `
use Socket;
socket(S, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
connect(S, pack_sockaddr_un("attach")) or die "connect: $!";
my $in = $ARGV[0];
while (1) {
  my $bits = "";
  vec($bits, fileno(S), 1) = 1;
  vec($bits, 0, 1) = 1 if $in;
  select($bits, undef, undef, undef);
  if (vec($bits, fileno(S), 1)) {
    my $n = sysread(S, my $packet, 65536);
    last unless $n;
    my $out = pack("N", $n) . $packet;
    while (length $out) { my $w = syswrite(STDOUT, $out); exit unless defined $w; substr($out, 0, $w, ""); }
  }
  if ($in && vec($bits, 0, 1)) {
    my $n = sysread(STDIN, my $data, 8192);
    if ($n) { defined syswrite(S, $data) or last } else { $in = 0; shutdown(S, 1); }
  }
}`;

const stdoutMark = 2;
const stderrMark = 3;

/** Joins a client to a running container's streams until the container ends or the client goes away. */
export async function attachToContainer(options: {
  readonly bundle: string;
  readonly tty: boolean;
  readonly streams: RemoteStreams;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { streams, bundle, tty } = options;
  const child = spawn('perl', ['-e', bridge, streams.stdin ? '1' : ''], { cwd: bundle, stdio: 'pipe' });
  const kill = () => void child.kill('SIGKILL');
  options.signal.addEventListener('abort', kill, { once: true });
  if (options.signal.aborted) kill();
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  child.stdin.on('error', () => {});
  streams.stdin?.pipe(child.stdin);
  if (tty) streams.onResize((size) => void resizeTerminal(bundle, size).catch(() => {}));
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 0));
  });
  // It may fail while packets are still waited for; who awaits it below hears of it.
  ended.catch(() => {});
  await deliver(child.stdout, streams);
  const code = await ended;
  options.signal.removeEventListener('abort', kill);
  if (code !== 0 && !options.signal.aborted) throw new Error(`attach: ${words.trim()}`);
}

async function deliver(packets: Readable, streams: RemoteStreams): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of packets as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      const mark = rest[4];
      const target = mark === stdoutMark ? streams.stdout : mark === stderrMark ? streams.stderr : undefined;
      if (target) await write(target, rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  }
}

function write(target: Writable, data: Buffer): Promise<void> {
  return new Promise((resolve) => void target.write(data, () => resolve()));
}
