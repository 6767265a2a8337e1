import { StatusError } from '@kubernode/api';
import type { Verb } from '../context.ts';
import { admitConnection } from './options/connect-options.ts';

/** Whatever is carried on to a kubelet, a pod or a service: its connector answers. */
export const connect: Verb = async (call) => {
  const { request, route, user, server, resource } = call;
  const { subresource } = route.attributes;
  const connector = server.connectors.get(`${resource.plural}/${subresource}`);
  if (!connector) {
    const message = `${resource.plural}/${subresource} is not served: this API server was started without a connection to nodes`;
    throw StatusError.of('ServiceUnavailable', message);
  }
  // A log is read, not connected to.
  const isLog = subresource === 'log';
  if (!isLog) await admitConnection(call);
  const answer = await connector.connect({
    attributes: route.attributes,
    user,
    method: request.method,
    tail: route.tail,
    query: request.query,
    headers: request.headers,
    body: request.stream,
    signal: request.signal,
    upgrade: request.upgrade,
  });
  if (answer === 'upgraded') return { code: 101, content: { type: 'upgraded' } };
  return { code: answer.status, headers: answer.headers, content: { type: 'stream', body: answer.body, isLog } };
};
