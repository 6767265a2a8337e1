import type { ClientRequest } from 'node:http';

/** Fails a request whose connection does not come about in time: neither TCP nor TLS may keep it waiting. */
export function limitDial(outgoing: ClientRequest, isTls: boolean, timeoutMs: number): void {
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) return;
    const late = () => outgoing.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(late, timeoutMs);
    const done = () => clearTimeout(timer);
    socket.once(isTls ? 'secureConnect' : 'connect', done);
    socket.once('close', done);
  });
}
