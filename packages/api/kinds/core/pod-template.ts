import { PodTemplate } from '../../generated/types/core/v1.ts';
import { podTemplateDefaults } from '../../rules/pod/defaults.ts';
import { podTemplate as template } from '../../rules/pod/spec.ts';
import { fields, validate } from '../../rules/rule.ts';
import { workloadWarnings } from '../../rules/workload/workload-warnings.ts';
import { containerCells, labelsCell } from '../cells.ts';
import { define } from '../define.ts';

export const podTemplate = define(PodTemplate, {
  defaults: (object) => podTemplateDefaults(object.template),
  validate: validate<PodTemplate>(fields<PodTemplate>({ template: template() })),
  generation: 'all',
  warnings: workloadWarnings((object) => object.template, 'template'),
  row: (object) => [
    object.metadata.name,
    ...containerCells(object.template),
    labelsCell(object.template.metadata.labels),
  ],
});
