/** How fast expressions are evaluated and compiled: `node bench/cel.ts`. */
import {
  compileProgram,
  dynType,
  intType,
  kubernetesEnvironment,
  listType,
  schemaType,
} from '@kubernode/machinery/cel';

const containers = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, image: { type: 'string' } } },
};
const self = schemaType({
  type: 'object',
  properties: { replicas: { type: 'integer' }, minReplicas: { type: 'integer' }, name: { type: 'string' }, containers },
});
const environment = kubernetesEnvironment.extend({
  variables: { self: self ?? dynType, object: dynType, numbers: listType(intType) },
});
const spec = {
  replicas: 3,
  minReplicas: 1,
  name: 'web-1',
  containers: ['a', 'b', 'c', 'd'].map((name) => ({ name, image: `registry/${name}:v1` })),
};
const bindings = { self: spec, object: { spec }, numbers: Array.from({ length: 100 }, (_, index) => index) };

const expressions = [
  'self.minReplicas <= self.replicas',
  'has(self.name) && self.name.startsWith("web")',
  'self.containers.all(c, c.image.startsWith("registry/"))',
  'object.spec.containers.exists(c, c.name == "d")',
  'self.name.matches("^[a-z]+-[0-9]+$")',
  'quantity("1Gi").isGreaterThan(quantity("512Mi"))',
  'numbers.filter(n, n % 2 == 0).map(n, n * n).sum() > 0',
];

console.table(
  expressions.map((expression) => {
    const program = compileProgram(expression, environment);
    return {
      expression,
      'evaluate (µs)': microseconds(() => program.evaluate(bindings)),
      'compile (µs)': microseconds(() => compileProgram(expression, environment)),
    };
  }),
);

/** The time of one run, over runs of a tenth of a second after as many to warm up. */
function microseconds(run: () => unknown): string {
  let count = 0;
  for (let round = 0; round < 2; round++) {
    const startedMs = performance.now();
    for (count = 0; performance.now() - startedMs < 100; count++) run();
  }
  return (100_000 / count).toFixed(2);
}
