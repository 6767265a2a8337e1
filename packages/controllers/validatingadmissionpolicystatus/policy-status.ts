import { ValidatingAdmissionPolicy } from '@kubernode/api/admissionregistration/v1';
import { controller, status } from '@kubernode/client';
import { kindTypes } from './kind-types.ts';
import { checkTypes } from './type-check.ts';

const fieldManager = 'validatingadmissionpolicy-status';

/** Tells in a policy's status what its expressions get wrong about the objects that it is for (KEP-3488). */
export const validatingAdmissionPolicyStatusController = controller<ValidatingAdmissionPolicy>({
  name: 'validatingadmissionpolicy-status-controller',
  reconciles: ValidatingAdmissionPolicy,
  watches: [],
  writes: [status(ValidatingAdmissionPolicy)],
  async reconcile(policy, { client }) {
    const { name, generation = 0 } = policy.metadata;
    if (generation <= (policy.status?.observedGeneration ?? 0)) return;
    const expressionWarnings = await checkTypes(policy, kindTypes(client));
    const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
    const { apiVersion, kind } = ValidatingAdmissionPolicy;
    const body = { apiVersion, kind, metadata: { name }, status: { observedGeneration: generation, typeChecking } };
    const target = { name, subresource: 'status' };
    await client.patch(ValidatingAdmissionPolicy, target, { type: 'apply', body }, { fieldManager, force: true });
  },
});
