/**
 * What a list of 1 GB adds to the server's memory: `npm run bench -- long-list [--objects 100000] [--kilobytes 10]
 * [--forms json,old,...]`. The objects are in memory anyway; the answer is not to be there as a whole beside them.
 */
import { rmSync } from 'node:fs';
import { connect } from 'node:tls';
import { parseArgs } from 'node:util';
import { ask, configMap, load } from './lib/load.ts';
import { seededData } from './lib/seed.ts';
import { residentMB, startOwnServer, type OwnServer } from './lib/server.ts';

interface Form {
  readonly accept?: string;
  readonly headers?: string;
  readonly query?: string;
  /** Pauses after each piece that comes. */
  readonly pauseMs?: number;
}

const meta = 'g=meta.k8s.io;v=v1';
const forms: Readonly<Record<string, Form>> = {
  json: {},
  gzip: { headers: 'accept-encoding: gzip\r\n' },
  slow: { pauseMs: 1 },
  old: { query: '?resourceVersionMatch=Exact&resourceVersion=' },
  metadata: { accept: `application/json;as=PartialObjectMetadataList;${meta}` },
  table: { accept: `application/json;as=Table;${meta}` },
  protobuf: { accept: 'application/vnd.kubernetes.protobuf' },
  metadataProtobuf: { accept: `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}` },
  cbor: { accept: 'application/cbor' },
  pretty: { accept: 'application/json;pretty=1' },
  yaml: { accept: 'application/yaml' },
};

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '100000' },
    kilobytes: { type: 'string', default: '10' },
    forms: { type: 'string', default: Object.keys(forms).join(',') },
  },
});
const objects = Number(values.objects);
const bytesEach = Number(values.kilobytes) * 1_000;
const sampleMs = 20;
/** What the answer before left is given back by then. */
const settledMs = 15_000;
/** A slow reader is not waited for to its end. */
const slowMsMax = 20_000;

/** Reads an answer that ends with its connection; how many bytes came. Throws where it is no success. */
function read(server: OwnServer, path: string, { accept = 'application/json', headers = '', pauseMs }: Form) {
  const { hostname, port, host } = new URL(server.url);
  return new Promise<number>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    let bytes = 0;
    const startedMs = performance.now();
    socket.on('secureConnect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${server.token}\r\n` +
          `accept: ${accept}\r\n${headers}connection: close\r\n\r\n`,
      ),
    );
    socket.on('data', (piece: Buffer) => {
      if (bytes === 0 && !piece.toString('latin1', 0, 12).endsWith(' 200')) {
        reject(new Error(`the list was answered ${JSON.stringify(piece.toString('latin1', 0, 300))}, expected 200`));
        socket.destroy();
      }
      bytes += piece.length;
      if (!pauseMs) return;
      if (performance.now() - startedMs > slowMsMax) return void socket.destroy();
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(bytes));
  });
}

const data = await seededData(bytesEach);
let started: OwnServer | undefined;
try {
  await data.add(0, objects);
  const server = await startOwnServer(
    [],
    ['--data-dir', data.dataDir, '--feature-gates', 'CBORServingAndStorage=true'],
  );
  started = server;
  const path = `/api/v1/namespaces/${data.namespace}/configmaps`;
  const { text } = await ask(server, { method: 'GET', path: `${path}?limit=1` });
  const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
  // One change after the seeding, so that the list of the version before it comes out of the store.
  await load(server, 1, { count: 1 }, () => ({ method: 'POST', path, body: configMap('later') }));
  console.log('| form | answer | time | memory before | at most | added |\n|-|-:|-:|-:|-:|-:|');
  for (const name of values.forms.split(',')) {
    const form = forms[name];
    if (!form) throw new Error(`--forms ${JSON.stringify(name)}: expected some of ${Object.keys(forms).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, settledMs));
    const beforeMB = residentMB(server) ?? 0;
    let mostMB = beforeMB;
    const timer = setInterval(() => (mostMB = Math.max(mostMB, residentMB(server) ?? 0)), sampleMs);
    const startedMs = performance.now();
    const bytes = await read(server, form.query ? `${path}${form.query}${resourceVersion}` : path, form);
    clearInterval(timer);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const cells = [name, `${Math.round(bytes / 1e6)} MB`, `${seconds} s`, `${beforeMB} MB`, `${mostMB} MB`];
    console.log(`| ${cells.join(' | ')} | ${mostMB - beforeMB} MB |`);
  }
} finally {
  await started?.stop();
  rmSync(data.dataDir, { recursive: true, force: true });
}
