/** Brings the real clients here before their tests: a machine's first build of Go programs takes minutes. */
import { goPrograms, goProgram, nodeProgram, pythonProgram } from './clients-programs.ts';

const all = {
  ...Object.fromEntries(goPrograms.map((name) => [name, () => goProgram(name)])),
  'client-node': () => nodeProgram('workflow.mjs'),
  'Python client': () => pythonProgram('workflow.py'),
};

for (const [name, bring] of Object.entries(all)) {
  const startedMs = performance.now();
  const { skip } = bring();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(skip ? `SKIPPED: ${skip}` : `${name}: there (${seconds} s)`);
}
