import { readFileSync, readdirSync } from 'node:fs';
import type { MetricsRegistry } from './registry.ts';

/** What the process uses, read when somebody asks. Descriptors and virtual memory are Linux' alone. */
export function processMetrics(registry: MetricsRegistry): void {
  const plain = { stability: 'INTERNAL' } as const;
  const cpu = registry.counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    ...plain,
  });
  const resident = registry.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    ...plain,
  });
  const start = registry.gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    ...plain,
  });
  const started = (performance.timeOrigin - process.uptime() * 1000 + performance.now()) / 1000;
  let counted = 0;
  registry.onCollect(() => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    cpu.of().add(seconds - counted);
    counted = seconds;
    resident.of().set(process.memoryUsage.rss());
    start.of().set(started);
  });
  if (process.platform === 'linux') linuxMetrics(registry);
}

function linuxMetrics(registry: MetricsRegistry): void {
  const gauge = (name: string, help: string) => registry.gauge({ name, help, stability: 'INTERNAL' });
  const open = gauge('process_open_fds', 'Number of open file descriptors.');
  const most = gauge('process_max_fds', 'Maximum number of open file descriptors.');
  const virtual = gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.');
  registry.onCollect(() => {
    try {
      open.of().set(readdirSync('/proc/self/fd').length);
      const limits = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
      most.of().set(Number(limits?.[1] ?? 0));
      const size = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'));
      virtual.of().set(Number(size?.[1] ?? 0) * 1024);
    } catch {
      // A container may hide /proc; the other metrics do not suffer.
    }
  });
}
