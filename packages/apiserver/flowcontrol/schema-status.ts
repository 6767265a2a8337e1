import type { Transport } from '@kubernode/api';
import type { FlowSchema } from '@kubernode/api/flowcontrol/v1';
import { formatTime, type Clock, type Logger, type Random } from '@kubernode/machinery';
import { applyCondition } from '../bootstrap/apply-condition.ts';
import type { ClusterState } from '../seams.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const fieldManager = 'api-priority-and-fairness-config-consumer-v1';
const settleMs = 20;
/** Two servers that do not agree must not write against each other without end. */
const writesPerMinuteMax = 5;
const delayedMs = { min: 30_000, spread: 45_000 };
const retryMs = 1_000;

interface StatusOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly state: ClusterState;
  readonly transport: Transport;
}

/** Keeps every FlowSchema's condition Dangling true to whether its priority level exists. Answers the way to stop. */
export function followSchemaStatus(options: StatusOptions): () => void {
  const { clock, random, log, state } = options;
  const writtenMs = new Map<string, number[]>();
  let cancel: (() => void) | undefined;
  let isStopped = false;
  const schedule = (delayMs: number) => {
    if (isStopped || cancel) return;
    cancel = clock.after(delayMs, () => {
      cancel = undefined;
      void sync();
    });
  };
  const sync = async () => {
    for (const { schema, condition } of wrongConditions(state)) {
      const { name } = schema.metadata;
      const recent = (writtenMs.get(name) ?? []).filter((atMs) => atMs > clock.now() - 60_000);
      writtenMs.set(name, recent);
      if (recent.length > writesPerMinuteMax) {
        schedule(delayedMs.min + random() * delayedMs.spread);
        continue;
      }
      recent.push(clock.now());
      try {
        await write(options, name, condition);
      } catch (error) {
        if (isStopped || (error as { code?: number }).code === 404) continue;
        log.warn('the condition of a FlowSchema could not be written', { name, error: String(error) });
        schedule(retryMs);
      }
    }
  };
  const changed = () => schedule(settleMs);
  const stops = [
    state.onChange(group, 'flowschemas', changed),
    state.onChange(group, 'prioritylevelconfigurations', changed),
  ];
  changed();
  return () => {
    isStopped = true;
    cancel?.();
    for (const stop of stops) stop();
  };
}

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function wrongConditions(state: ClusterState): { schema: FlowSchema; condition: Condition }[] {
  const schemas = state.list(group, 'flowschemas') as unknown as FlowSchema[];
  return schemas.flatMap((schema) => {
    const condition = conditionOf(schema, state);
    const known = schema.status?.conditions?.find(({ type }) => type === 'Dangling');
    const { status, reason, message } = condition;
    const isRight = known?.status === status && known.reason === reason && known.message === message;
    return isRight ? [] : [{ schema, condition }];
  });
}

function conditionOf({ spec }: FlowSchema, state: ClusterState): Condition {
  const { name } = spec.priorityLevelConfiguration;
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
  return state.get(group, 'prioritylevelconfigurations', name)
    ? { status: 'False', reason: 'Found', message: `${refers} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${refers} but there is no such object` };
}

function write({ transport, clock }: StatusOptions, name: string, condition: Condition): Promise<void> {
  const apiVersion = `${group}/v1`;
  const path = `/apis/${apiVersion}/flowschemas/${name}`;
  const object = { apiVersion, kind: 'FlowSchema', metadata: { name } };
  const dated = { type: 'Dangling', ...condition, lastTransitionTime: formatTime(clock.now()) };
  return applyCondition(transport, path, object, dated, fieldManager);
}
