/** `core/v1.Pod` → `core/v1`. */
export const groupVersionOf = (typeName: string) => typeName.slice(0, typeName.lastIndexOf('.'));
/** `core/v1.Pod` → `Pod`. */
export const lastName = (typeName: string) => typeName.slice(typeName.lastIndexOf('.') + 1);

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** `rbac.authorization.k8s.io` → `RbacAuthorization`, '' → `Core`. */
export function groupWord(group: string): string {
  const words = (group || 'core').replace(/\.k8s\.io$/, '').split(/[.-]/);
  return words.map(capital).join('');
}

/** `apps`, `v1` → `apps_v1`: what an operation is filed under. */
export function tagOf(group: string, version: string): string {
  const word = groupWord(group);
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`;
}
