import { createSocket } from 'node:dgram';
import { decode, encode, type Packet } from 'dns-packet';

export interface Upstream {
  readonly address: string;
  readonly port: number;
}

const timeoutMs = 2000;

/** Asks the upstream servers in turn; the first answer counts. Throws when none answers in time. */
export async function forward(query: Packet, upstreams: readonly Upstream[]): Promise<Packet> {
  let failure: unknown = new Error('no upstream DNS server is configured');
  for (const upstream of upstreams) {
    try {
      return await ask(query, upstream);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function ask(query: Packet, { address, port }: Upstream): Promise<Packet> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const id = Math.floor(Math.random() * 65_536);
    let finished = false;
    const finish = (settle: () => void) => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      socket.close();
      settle();
    };
    const timer = setTimeout(() => finish(() => reject(new Error(`DNS server ${address} did not answer`))), timeoutMs);
    socket.on('error', (error) => finish(() => reject(error)));
    socket.on('message', (message, peer) => {
      if (peer.address !== address) return;
      try {
        const reply = decode(message);
        if (reply.id === id) finish(() => resolve(reply));
      } catch (cause) {
        finish(() => reject(new Error(`DNS server ${address} answered what cannot be read`, { cause })));
      }
    });
    try {
      socket.send(encode({ ...query, id }), port, address);
    } catch (error) {
      finish(() => reject(error as Error));
    }
  });
}
