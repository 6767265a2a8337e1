import { isFeatureGate } from '@kubernode/api';

/** Gates by name, as upstream's `--feature-gates`; `AllAlpha` and `AllBeta` set those of a stage that are not named. */
export type FeatureGates = Readonly<Record<string, boolean>>;

/** `Name=true,Other=false`. Throws on a gate that the release does not have, and on other values. */
export function parseFeatureGates(text: string): FeatureGates {
  const gates: Record<string, boolean> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const [name = '', value] = part.split('=').map((piece) => piece.trim());
    if (value !== 'true' && value !== 'false') {
      throw new Error(`${JSON.stringify(part)} is not understood: expected ${name}=true or false`);
    }
    if (!isFeatureGate(name)) throw new Error(`there is no feature gate ${JSON.stringify(name)}`);
    gates[name] = value === 'true';
  }
  return gates;
}
