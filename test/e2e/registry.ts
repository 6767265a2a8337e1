/**
 * A registry on loopback that serves one OCI layout as team/app:1, as far as a pull goes.
 *
 * Usage: registry.ts LAYOUT none|basic|bearer      (user "user", password "secret")
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

const [layout = '', scheme = 'none'] = process.argv.slice(2);
const port = 5000;
const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`;
const token = 'a-token';
const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
  manifests: [{ digest: string; mediaType: string }];
};
const blob = (digest: string) => readFileSync(join(layout, 'blobs', ...digest.split(':')));

interface Answer {
  readonly code: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

function answer({ url = '', headers }: IncomingMessage): Answer {
  const { authorization } = headers;
  if (url.startsWith('/token')) {
    return authorization === basic ? json(200, { token }) : json(401, {});
  }
  const wanted = { none: undefined, basic, bearer: `Bearer ${token}` }[scheme];
  if (wanted !== undefined && authorization !== wanted) {
    const challenge =
      scheme === 'basic' ? 'Basic realm="test"' : `Bearer realm="http://127.0.0.1:${port}/token",service="test"`;
    return { ...json(401, { errors: [{ code: 'UNAUTHORIZED' }] }), headers: { 'www-authenticate': challenge } };
  }
  if (url === '/v2/') return json(200, {});
  const [, kind, name = ''] = /^\/v2\/team\/app\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
  const [{ digest, mediaType }] = index.manifests;
  if (kind === 'manifests' && (name === '1' || name === digest)) {
    return {
      code: 200,
      headers: { 'content-type': mediaType, 'docker-content-digest': digest },
      body: blob(digest),
    };
  }
  if (kind === 'blobs') return { code: 200, body: blob(name) };
  return json(404, { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] });
}

function json(code: number, value: unknown): Answer {
  return { code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

createServer((request, response) => {
  const { code, headers, body = '' } = answer(request);
  response.writeHead(code, headers).end(request.method === 'HEAD' ? '' : body);
}).listen(port, '127.0.0.1', () => console.log('listens'));
