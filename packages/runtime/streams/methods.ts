import type { CriImplementation } from '@kubernode/api/cri';
import { CriError } from '@kubernode/api/cri';
import { execInContainer } from '../containers/exec.ts';
import type { RuntimeParts } from '../runtime.ts';
import { attachToContainer } from './attach.ts';
import { connectInNamespace } from './connect.ts';

/** CRI's streaming calls: each answers a one-time URL. */
export function streamMethods({ containers, sandboxes, context, streams: server }: RuntimeParts) {
  return {
    exec: async ({ containerId, cmd, tty, stdin, stdout, stderr }) => {
      const { id } = containers.running(containerId);
      const url = server.urlFor({
        kind: 'exec',
        tty,
        stdin,
        stdout,
        stderr,
        description: `[${cmd.join(' ')}]`,
        run: (streams, signal) =>
          execInContainer({
            oci: context.oci,
            containerId: id,
            bundle: containers.folder(id),
            command: cmd,
            tty,
            streams,
            signal,
          }),
      });
      return { url };
    },
    attach: async ({ containerId, tty, stdin, stdout, stderr }) => {
      const { id, config } = containers.running(containerId);
      const url = server.urlFor({
        kind: 'attach',
        tty,
        stdin: stdin && config.stdin,
        stdout,
        stderr,
        description: '',
        run: async (streams, signal) => {
          await attachToContainer({ bundle: containers.folder(id), tty, streams, signal });
          return 0;
        },
      });
      return { url };
    },
    portForward: async ({ podSandboxId, port }) => {
      const record = sandboxes.get(podSandboxId);
      if (record.state !== 'ready') throw new CriError('FailedPrecondition', `sandbox "${record.id}" is not running`);
      const netnsPath = sandboxes.namespacePath(record, 'net');
      const connect = (number: number) => connectInNamespace(netnsPath, number);
      return { url: server.urlFor({ kind: 'portforward', ports: port, connect }) };
    },
  } satisfies Partial<CriImplementation>;
}
