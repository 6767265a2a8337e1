import { checkConfiguration, type ConfigurationKind } from '../../component-config/read.ts';

/** A plugin's own part of the AdmissionConfiguration; empty where there is none. Throws for another kind. */
export function pluginConfiguration<T extends object>(value: unknown, expected: ConfigurationKind): Partial<T> {
  return value === undefined || value === null ? {} : checkConfiguration<T>(value, expected);
}
