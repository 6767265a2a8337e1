/** Labels whose old name is still kept beside the new one. */
const oldNames: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'beta.kubernetes.io/os',
  'kubernetes.io/arch': 'beta.kubernetes.io/arch',
};

/** The labels that a node lacks or has wrong; undefined where there are none. */
export function missingLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> | undefined {
  const missing = Object.entries(oldNames).flatMap(([name, oldName]) => {
    const value = labels[name];
    return value !== undefined && labels[oldName] !== value ? [[oldName, value] as const] : [];
  });
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}
