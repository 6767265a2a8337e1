import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { PortForwardRequest } from './requests.ts';

/** The older form: two channels a port, data on the even one and errors on the odd one. */
export async function websocketPortForward(
  socket: WebSocket,
  request: PortForwardRequest,
  ports: readonly number[],
): Promise<void> {
  const send = (channel: number, data: Buffer) =>
    new Promise<void>((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      socket.send(Buffer.concat([Buffer.from([channel]), data]), () => resolve());
    });
  const connections = new Map<number, Duplex>();
  const unsent = new Map<number, Buffer[]>();
  socket.on('message', (raw: RawData) => {
    const message = raw as Buffer;
    const channel = message[0] ?? 0;
    const connection = connections.get(channel);
    if (!connection) unsent.get(channel)?.push(message.subarray(1));
    else if (!connection.write(message.subarray(1))) {
      socket.pause();
      connection.once('drain', () => socket.resume());
    }
  });
  socket.on('close', () => {
    for (const connection of connections.values()) connection.destroy();
  });
  const serve = async (port: number, index: number) => {
    const channel = index * 2;
    unsent.set(channel, []);
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    // Each channel begins with its port's number.
    await send(channel, number);
    await send(channel + 1, number);
    try {
      const connection = await request.connect(port);
      connections.set(channel, connection);
      for (const data of unsent.get(channel) ?? []) connection.write(data);
      unsent.delete(channel);
      for await (const data of connection) await send(channel, data as Buffer);
    } catch (error) {
      await send(channel + 1, Buffer.from(`error forwarding port ${port} to pod: ${(error as Error).message}`));
    }
  };
  await Promise.all(ports.map(serve));
  socket.close(1000);
}
