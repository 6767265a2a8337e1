import { formatTime } from '@kubernode/machinery';
import type { Call } from '../context.ts';
import type { ServerResponse } from '../request.ts';
import { version } from '../version.ts';
import { zPage } from './zpage.ts';

const paths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];
const binaryVersion = version.gitVersion.replace(/^v/, '').replace(/\+.*/, '');

/** GET /statusz: since when what runs. `startedMs`: when the server was started. */
export function statusz(call: Call, startedMs: number): ServerResponse {
  const upSeconds = Math.max(0, Math.floor((call.server.clock.now() - startedMs) / 1000));
  const { emulationMajor, emulationMinor } = call.server.version;
  const emulationVersion = `${emulationMajor}.${emulationMinor}`;
  return zPage(call, {
    kind: 'Statusz',
    text: () =>
      [
        '',
        `Started: ${goTime(startedMs)}`,
        `Up: ${upText(upSeconds)}`,
        `Go version: ${version.goVersion}`,
        `Binary version: ${binaryVersion}`,
        `Emulation version: ${emulationVersion}`,
        `Paths: ${paths.join(' ')}`,
        '',
      ].join('\n'),
    fields: () => ({
      startTime: formatTime(startedMs),
      uptimeSeconds: upSeconds,
      goVersion: version.goVersion,
      binaryVersion,
      emulationVersion,
      paths,
    }),
  });
}

/** `Sat Nov 21 08:07:20 UTC 2026` */
function goTime(timeMs: number): string {
  const [, day, month, date] = new Date(timeMs).toDateString().match(/^(\w+) (\w+) (\d+)/) ?? [];
  const iso = new Date(timeMs).toISOString();
  return `${day} ${month} ${Number(date).toString().padStart(2)} ${iso.slice(11, 19)} UTC ${iso.slice(0, 4)}`;
}

function upText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
