import type { Shape } from '@kubernode/machinery';
import { type IsEnabled, isFeatureGate } from './gate-specs.ts';

type Drop = (value: unknown, old: unknown) => void;
type Fields = Record<string, unknown>;

/** Gated fields whose Go types do not say so, and (without a gate) those that are not just dropped. */
const undeclared: Readonly<Record<string, readonly string[]>> = {
  'core/v1.Lifecycle.stopSignal': ['ContainerStopSignals'],
  'core/v1.ContainerStatus.stopSignal': [],
  'core/v1.VolumeMountStatus.volumeStatus': ['ImageVolumeWithDigest'],
  // Claims lose the whole reference; templates of claims are checked as if the feature were on.
  'core/v1.TypedObjectReference.namespace': [],
};

/** Parts that the gates of what is in them do not hold for: upstream does not look into them. */
const ungated: ReadonlySet<string> = new Set(['apps/v1.StatefulSetSpec.volumeClaimTemplates']);

/** Objects that go when all that was in them is dropped. */
const vanishing: ReadonlySet<string> = new Set(['core/v1.Lifecycle']);

/**
 * Makes what drops the fields of features that are off, at every depth, in place: a client cannot set them. Where `old`
 * has such a field it stays, so that turning a feature off loses nothing.
 */
export function fieldDropper(isEnabled: IsEnabled): (object: unknown, shape: Shape, old?: unknown) => void {
  const droppers = new Map<Shape, Drop | undefined>();
  const dropperOf = (shape: Shape): Drop | undefined => {
    if (shape.type === 'list') {
      const drop = dropperOf(shape.items);
      return (
        drop &&
        ((list, old) =>
          (Array.isArray(list) ? (list as readonly unknown[]) : []).forEach((item, index) =>
            drop(item, itemAt(old, index)),
          ))
      );
    }
    if (shape.type === 'map') {
      const drop = dropperOf(shape.values);
      return (
        drop &&
        ((map, old) =>
          Object.entries((map ?? {}) as Fields).forEach(([key, value]) =>
            drop(value, (old as Fields | undefined)?.[key]),
          ))
      );
    }
    if (shape.type !== 'object') return undefined;
    if (droppers.has(shape)) return droppers.get(shape);
    droppers.set(shape, undefined);
    const steps = shape.fields.flatMap((field): Drop[] => {
      const { name } = field;
      const declared = undeclared[`${shape.name}.${name}`] ?? field.featureGates;
      // `A,B` names two that are both needed.
      // A gate that the release has no more was on for good when it went.
      const isOn = (gates: string) => gates.split(',').every((gate) => !isFeatureGate(gate) || isEnabled(gate));
      const isOff = declared.length > 0 && !declared.some(isOn);
      if (isOff) {
        return [
          (value, old) => {
            const parent = value as Fields;
            // Most have no such field, and to delete one that is not there costs as much as if it were.
            if (name in parent && (old as Fields | undefined)?.[name] === undefined) delete parent[name];
          },
        ];
      }
      const inner = ungated.has(`${shape.name}.${name}`) ? undefined : dropperOf(field.shape);
      if (!inner) return [];
      const { shape: part } = field;
      const vanishes = part.type === 'object' && vanishing.has(part.name);
      return [
        (value, old) => {
          const parent = value as Fields;
          const had = vanishes && Object.keys(parent[name] ?? {}).length > 0;
          inner(parent[name], (old as Fields | undefined)?.[name]);
          if (had && Object.keys(parent[name] ?? {}).length === 0) delete parent[name];
        },
      ];
    });
    const drop: Drop | undefined =
      steps.length === 0
        ? undefined
        : (value, old) => {
            if (typeof value !== 'object' || value === null) return;
            for (const step of steps) step(value, old);
          };
    droppers.set(shape, drop);
    return drop;
  };
  return (object, shape, old) => dropperOf(shape)?.(object, old);
}

const itemAt = (list: unknown, index: number) => (Array.isArray(list) ? (list[index] as unknown) : undefined);
