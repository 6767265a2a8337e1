import { durationMs } from './flag.ts';
import { flagGroup } from './group.ts';

/** What is kept, and for how long. */
export const storageFlags = flagGroup({
  title: 'storage',
  flags: {
    'etcd-compaction-interval': durationMs('how often the past is forgotten, up to the time before; 0 never', '5m0s'),
    'event-ttl': durationMs('how long an event is kept after its last write; 0 for ever', '1h0m0s'),
  },
  toOptions: (values) => ({
    server: { compactionIntervalMs: values['etcd-compaction-interval'], eventTtlMs: values['event-ttl'] },
  }),
});
