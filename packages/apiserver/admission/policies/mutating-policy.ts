import type { KubernetesObject } from '@kubernode/api';
import type { MutatingAdmissionPolicy } from '@kubernode/api/admissionregistration/v1';
import { applyConfigurationType, jsonPatchType, listType } from '@kubernode/machinery/cel';
import type { ClusterState } from '../../seams.ts';
import type { Expression } from '../expressions/compile.ts';
import { policyOf, type Policy } from './policy.ts';

/** A MutatingAdmissionPolicy, compiled. */
export interface MutatingPolicy extends Policy {
  readonly mutations: readonly Mutation[];
  /** To be run again when others changed the object after it. */
  readonly isReinvocable: boolean;
}

export interface Mutation {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: Expression;
}

export function mutatingPolicyOf(object: KubernetesObject, state: ClusterState): MutatingPolicy {
  const typed = object as MutatingAdmissionPolicy;
  const policy = policyOf(typed, state);
  const { mutations = [], reinvocationPolicy } = typed.spec ?? {};
  return {
    ...policy,
    isReinvocable: reinvocationPolicy === 'IfNeeded',
    mutations: mutations.flatMap(({ patchType, applyConfiguration, jsonPatch }): Mutation[] => {
      const compile = (source: string, result: Parameters<typeof policy.compiler.compile>[1]) =>
        policy.compiler.compile(source, result, { patchTypes: true });
      if (patchType === 'ApplyConfiguration' && applyConfiguration) {
        const expression = compile(applyConfiguration.expression ?? '', [applyConfigurationType]);
        return [{ type: patchType, expression }];
      }
      if (patchType !== 'JSONPatch' || !jsonPatch) return [];
      return [{ type: patchType, expression: compile(jsonPatch.expression ?? '', [listType(jsonPatchType)]) }];
    }),
  };
}
