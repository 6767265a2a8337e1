/** The policy that is set, by its name. */
export const policyCell = (policy: { readonly basic?: unknown; readonly gang?: unknown }) =>
  policy.gang ? 'Gang' : policy.basic ? 'Basic' : '<none>';
