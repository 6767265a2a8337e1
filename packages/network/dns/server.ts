import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server, type Socket as TcpSocket } from 'node:net';
import {
  decode,
  encode,
  AUTHORITATIVE_ANSWER,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { Packet } from 'dns-packet';
import type { InformerFactory } from '@kubernode/client';
import type { Component, Logger } from '@kubernode/machinery';
import { answer, type Answer } from './answer.ts';
import { forward, type Upstream } from './forward.ts';
import { ClusterRecords, type DnsRecord } from './records.ts';

export interface DnsOptions {
  readonly informers: InformerFactory;
  /** `cluster.local` */
  readonly clusterDomain: string;
  readonly address: string;
  readonly port: number;
  /** Where names outside of the cluster are asked; none: they are refused. */
  readonly upstreams: readonly Upstream[];
  readonly log: Logger;
}

export interface DnsServer extends Component {
  readonly address: string;
  readonly port: number;
}

/** CoreDNS' default for cluster names. */
const ttlSeconds = 30;
/** Without EDNS a datagram holds this much (RFC 1035, 4.2.1). */
const datagramBytes = 512;
const datagramBytesMax = 4096;
const tcpIdleMs = 10_000;

/** The cluster's DNS server, on UDP and TCP. Resolves once it answers. Throws where the address cannot be had. */
export async function startDns(options: DnsOptions): Promise<DnsServer> {
  const records = new ClusterRecords(options.informers, options.clusterDomain);
  await records.synced();
  const resolve = (query: Packet) => respond(records, query, options);
  const udp = await listenUdp(options, resolve);
  const { port } = udp.address();
  const tcp = await listenTcp({ ...options, port }, resolve).catch((error: unknown) => {
    udp.close();
    throw error;
  });
  const connections = new Set<TcpSocket>();
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  return {
    name: 'dns',
    address: options.address,
    port,
    async stop() {
      for (const socket of connections) socket.destroy();
      await Promise.all([new Promise<void>((done) => udp.close(done)), new Promise((done) => tcp.close(done))]);
    },
  };
}

async function respond(records: ClusterRecords, query: Packet, options: DnsOptions): Promise<Packet> {
  const question = query.questions?.[0];
  const header = { id: query.id ?? 0, type: 'response' as const, questions: query.questions ?? [] };
  const wanted = (query.flags ?? 0) & RECURSION_DESIRED;
  if (!question || query.type !== 'query') return { ...header, flags: wanted | codes.FORMERR };
  const own = answer(records, question);
  if (own.code === 'REFUSED') {
    if (options.upstreams.length === 0) return { ...header, flags: wanted | codes.REFUSED };
    const reply = await forward(query, options.upstreams).catch(() => undefined);
    return reply ? { ...reply, id: header.id } : { ...header, flags: wanted | codes.SERVFAIL };
  }
  const outside = own.unresolved ? await resolveOutside(own.unresolved, question.type, options) : [];
  const flags =
    AUTHORITATIVE_ANSWER | wanted | (options.upstreams.length > 0 ? RECURSION_AVAILABLE : 0) | codes[own.code];
  return {
    ...header,
    flags,
    ...sections(own, options.clusterDomain),
    answers: [...own.answers.map(toPacket), ...outside],
  };
}

const codes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

function sections(own: Answer, domain: string): Pick<Packet, 'authorities' | 'additionals'> {
  const additionals = own.additionals.map(toPacket);
  return own.answers.length > 0 ? { additionals } : { additionals, authorities: [startOfAuthority(domain)] };
}

/** What lets a resolver keep a negative answer (RFC 2308). */
function startOfAuthority(domain: string): unknown {
  const data = { mname: `ns.dns.${domain}`, rname: `hostmaster.${domain}`, serial: 1, refresh: 7200, retry: 1800 };
  return { type: 'SOA', name: domain, ttl: ttlSeconds, data: { ...data, expire: 86_400, minimum: ttlSeconds } };
}

const toPacket = (record: DnsRecord) => ({ ...record, ttl: ttlSeconds, class: 'IN' });

async function resolveOutside(name: string, type: string, options: DnsOptions): Promise<unknown[]> {
  if (options.upstreams.length === 0) return [];
  const query: Packet = { id: 1, type: 'query', flags: RECURSION_DESIRED, questions: [{ name, type }] };
  const reply = await forward(query, options.upstreams).catch(() => undefined);
  return reply?.answers ?? [];
}

type Resolve = (query: Packet) => Promise<Packet>;

async function listenUdp({ address, port, log }: DnsOptions, resolve: Resolve): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (message, peer) => {
    void reply(message, resolve, log, (query, response) => {
      socket.send(fit(response, payloadBytes(query)), peer.port, peer.address);
    });
  });
  await new Promise<void>((done, fail) => {
    socket.once('error', (cause) =>
      fail(new Error(`DNS cannot listen on UDP ${address}:${port}: ${cause.message}`, { cause })),
    );
    socket.bind(port, address, done);
  });
  socket.removeAllListeners('error').on('error', (error) => log.warn('DNS socket', { error: error.message }));
  return socket;
}

async function listenTcp({ address, port, log }: DnsOptions, resolve: Resolve): Promise<Server> {
  const server = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.setTimeout(tcpIdleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        const message = pending.subarray(2, end);
        pending = pending.subarray(end);
        void reply(message, resolve, log, (_, response) => {
          if (socket.destroyed) return;
          const bytes = encode(response);
          const length = Buffer.alloc(2);
          length.writeUInt16BE(bytes.length);
          socket.write(Buffer.concat([length, bytes]));
        });
      }
    });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (cause) =>
      fail(new Error(`DNS cannot listen on TCP ${address}:${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, address, done);
  });
  server.removeAllListeners('error').on('error', (error) => log.warn('DNS socket', { error: error.message }));
  return server;
}

/**
 * Never throws: what cannot be read, said or sent (to port 0, say, which whoever may forge packets can ask from) is not
 * answered, as there is no one to blame.
 */
async function reply(
  message: Uint8Array,
  resolve: Resolve,
  log: Logger,
  send: (query: Packet, response: Packet) => void,
): Promise<void> {
  try {
    const query = decode(message);
    send(query, await resolve(query));
  } catch (error) {
    log.debug('dropped a DNS message', { error: String(error) });
  }
}

function payloadBytes(query: Packet | undefined): number {
  const options = (query?.additionals ?? []) as { type: string; udpPayloadSize?: number }[];
  const asked = options.find((record) => record.type === 'OPT')?.udpPayloadSize ?? datagramBytes;
  return Math.min(Math.max(asked, datagramBytes), datagramBytesMax);
}

/** A datagram that the client can take: without answers and marked truncated where it would be too long. */
function fit(response: Packet, limitBytes: number): Uint8Array {
  const whole = encode(response);
  if (whole.length <= limitBytes) return whole;
  const flags = (response.flags ?? 0) | TRUNCATED_RESPONSE;
  return encode({ ...response, flags, answers: [], authorities: [], additionals: [] });
}
