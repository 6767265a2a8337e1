import { dns1123Subdomain } from '@kubernode/machinery';
import { forbidden, invalid, required as requiredCause } from '../../rules/cause.ts';
import { persistentVolumeSpec } from '../../rules/persistent-volume.ts';
import { driverName } from '../../rules/volume-sources.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { VolumeAttachment } from '../../generated/types/storage/v1.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

type Spec = VolumeAttachment['spec'];
type Source = Spec['source'];

/** Of a volume by its name, or of one that is written out. */
const source: Rule<Source> = ({ persistentVolumeName: name, inlineVolumeSpec: inline }, path) => {
  if (name !== undefined && inline)
    return [forbidden(path, 'must not specify both a persistent volume and an inline one')];
  if (inline) return persistentVolumeSpec(inline, `${path}.inlineVolumeSpec`);
  if (name === undefined) return [requiredCause(path, 'must specify a persistent volume')];
  const at = `${path}.persistentVolumeName`;
  const found = name ? [] : [requiredCause(at, 'must specify non empty persistentVolumeName')];
  return [...found, ...dns1123Subdomain(name).map((detail) => invalid(at, name, detail))];
};

const spec = fields<Spec>({
  attacher: [required as Rule<string>, driverName],
  nodeName: format(dns1123Subdomain),
  source,
});

export const volumeAttachment = define(VolumeAttachment, {
  validate: validate<VolumeAttachment>(fields<VolumeAttachment>({ spec })),
  validateUpdate: validateUpdate<VolumeAttachment>(fields<VolumeAttachment>({ spec: immutable })),
  generation: 'none',
  row: (object, nowMs) => [
    object.metadata.name,
    object.spec.attacher,
    object.spec.source.persistentVolumeName ?? '',
    object.spec.nodeName,
    object.status.attached,
    age(object, nowMs),
  ],
});
