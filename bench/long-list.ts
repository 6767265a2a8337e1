/**
 * What a list of 1 GB adds to the server's memory: `npm run bench -- long-list [--objects 100000] [--kilobytes 10]`.
 * The objects are in memory anyway; the answer is not to be there as a whole beside them.
 */
import { parseArgs } from 'node:util';
import { Connection } from './lib/connection.ts';
import { configMap, load, makeNamespace } from './lib/load.ts';
import { residentMB, startOwnServer } from './lib/server.ts';

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '100000' }, kilobytes: { type: 'string', default: '10' } },
});
const bytesEach = Number(values.kilobytes) * 1_000;
const sampleMs = 20;

const server = await startOwnServer();
try {
  const path = `/api/v1/namespaces/${await makeNamespace(server)}/configmaps`;
  await load(server, 16, { count: Number(values.objects) }, (index) => ({
    method: 'POST',
    path,
    body: configMap(`c-${index}`, bytesEach),
  }));
  const beforeMB = residentMB(server) ?? 0;
  let mostMB = beforeMB;
  const timer = setInterval(() => (mostMB = Math.max(mostMB, residentMB(server) ?? 0)), sampleMs);
  const connection = new Connection(server);
  const startedMs = performance.now();
  const { code, bytes } = await connection.send({ method: 'GET', path });
  const seconds = (performance.now() - startedMs) / 1000;
  clearInterval(timer);
  connection.close();
  if (code !== 200) throw new Error(`the list was answered ${code}, expected 200`);
  const megabytes = Math.round(bytes / 1e6);
  console.log('| list | time | memory before | at most | added |\n|-:|-:|-:|-:|-:|');
  console.log(
    `| ${megabytes} MB | ${seconds.toFixed(1)} s | ${beforeMB} MB | ${mostMB} MB | ${mostMB - beforeMB} MB |`,
  );
} finally {
  await server.stop();
}
