import { constants } from 'node:os';
import type { CriEnum } from '@kubernode/api/cri';

const realTimeMin = 34;
const realTimeMax = 64;

/** The number of the signal that stops a container: the pod's wish, else the image's, else SIGTERM. */
export function stopSignal(wanted: CriEnum<'Signal'>, image: string | undefined): number {
  if (wanted !== 'SIGNAL_RUNTIME_DEFAULT')
    return signalNumber(wanted.replace(/^SIGNAL_/, '')) ?? constants.signals.SIGTERM;
  return (image ? signalNumber(image) : undefined) ?? constants.signals.SIGTERM;
}

/** "SIGTERM", "TERM", "15", "RTMIN+3", "SIGRTMINPLUS3". */
function signalNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toUpperCase().replace(/^SIG/, '');
  const [, edge, sign, offset] = /^RT(MIN|MAX)(?:(\+|-|PLUS|MINUS)(\d+))?$/.exec(name) ?? [];
  if (edge) {
    const steps = Number(offset ?? 0) * (sign === '-' || sign === 'MINUS' ? -1 : 1);
    return (edge === 'MIN' ? realTimeMin : realTimeMax) + steps;
  }
  const known: Readonly<Record<string, number>> = constants.signals;
  return known[`SIG${name}`] ?? { CLD: 17 }[name];
}
