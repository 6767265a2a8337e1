import { request as httpsRequest } from 'node:https';
import type { HTTPGetAction } from '@kubernode/api/core/v1';
import type { ProbeOutcome } from './probe-outcome.ts';

const { request: httpRequest } = process.getBuiltinModule('node:http');

const bodyBytesMax = 10 * 1024;
const redirectsMax = 10;

export interface HttpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where an HTTP probe or hook goes, and with which headers (upstream: httpprobe.NewRequestForHTTPGetAction). */
export function httpTarget(action: HTTPGetAction, port: number, podIp: string): HttpTarget {
  if (action.protocol === 'HTTP2') throw new Error('HTTP probes by HTTP/2 are not supported by this node');
  const host = action.host || podIp;
  const scheme = (action.scheme ?? 'HTTP').toLowerCase();
  const path = action.path ?? '';
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = new URL(`${scheme}://${authority}${path.startsWith('/') ? '' : '/'}${path}`);
  const headers: Record<string, string> = { 'user-agent': 'kube-probe/1.37', accept: '*/*', connection: 'close' };
  for (const { name, value } of action.httpHeaders ?? []) {
    if (value === '' && /^(accept|user-agent)$/i.test(name)) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return { url, headers };
}

/** Healthy from 200 to 399; redirects are followed on the same host only. Certificates are not verified. */
export async function httpProbe(target: HttpTarget, signal: AbortSignal): Promise<ProbeOutcome> {
  let { url } = target;
  try {
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const { status, location, body } = await get(url, target.headers, signal);
      const next = location === undefined || status < 300 || status > 399 ? undefined : new URL(location, url);
      if (!next || next.hostname !== url.hostname) return judge(status, body);
      url = next;
    }
    return { healthy: false, output: `Get "${url.href}": stopped after ${redirectsMax} redirects` };
  } catch (error) {
    return { healthy: false, output: `Get "${url.href}": ${networkError(error, url, signal)}` };
  }
}

function judge(status: number, body: string): ProbeOutcome {
  if (status >= 200 && status < 400) return { healthy: true, output: body };
  return { healthy: false, output: `HTTP probe failed with statuscode: ${status}` };
}

function get(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ status: number; location: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const options = { headers, signal, agent: false as const, ...(secure ? { rejectUnauthorized: false } : {}) };
    const request = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const done = () => {
        const body = Buffer.concat(chunks).subarray(0, bodyBytesMax).toString('utf8');
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body });
        request.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= bodyBytesMax) done();
      });
      response.on('end', done);
      response.on('error', reject);
    });
    request.on('error', reject);
    // Last of all; a server that switches protocols (101) ends in nothing else.
    request.on('close', () => reject(new Error('EOF')));
    request.end();
  });
}

/** In Go's words, which is what people search for. */
export function networkError(
  error: unknown,
  { hostname, port }: { hostname: string; port: string | number },
  signal: AbortSignal,
): string {
  if (signal.aborted) return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connect: connection refused',
    ECONNRESET: 'read: connection reset by peer',
    EHOSTUNREACH: 'connect: no route to host',
    ENETUNREACH: 'connect: network is unreachable',
  };
  if (words[code]) return `dial tcp ${hostname}:${port}: ${words[code]}`;
  return error instanceof Error ? error.message : String(error);
}
