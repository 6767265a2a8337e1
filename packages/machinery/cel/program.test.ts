import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizerType, authorizerValue, type AuthorizationQuery } from './library/authorizer.ts';
import { CelCompileError, CelCostError, CelError } from './errors.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { compileProgram } from './program.ts';
import { schemaType } from './schema-type.ts';
import { dynType, intType, listType } from './types.ts';

const schema = schemaType({
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string', maxLength: 10 },
    namespace: { type: 'string' },
    created: { type: 'string', format: 'date-time' },
    tags: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 10 } },
    ports: { type: 'array', items: { type: 'object', properties: { 'target-port': { type: 'integer' } } } },
  },
});
const environment = kubernetesEnvironment.extend({
  variables: {
    self: schema ?? dynType,
    object: dynType,
    x: intType,
    numbers: listType(intType),
    authorizer: authorizerType,
  },
  bindings: true,
});
const asked: AuthorizationQuery[] = [];
const bindings = {
  self: {
    replicas: 3,
    ratio: 2,
    name: 'web',
    namespace: 'shop',
    created: '2026-01-02T03:04:05Z',
    tags: ['a', 'b'],
    ports: [{ 'target-port': 80 }],
  },
  object: { a: { b: 'c' } },
  x: 4,
  numbers: [1, 2, 3],
  authorizer: authorizerValue((query) => {
    asked.push(query);
    return { allowed: query.verb === 'get', reason: 'because' };
  }),
};
const evaluate = (source: string, costMax?: number) => compileProgram(source, environment).evaluate(bindings, costMax);

/** Expressions that hold, with their cost by upstream's count. */
const holding: readonly (readonly [source: string, cost: number])[] = [
  ['1 + 2 * 3 == 7', 3],
  ['self.replicas <= 5', 3],
  ['self.ratio / 2.0 == 1.0', 4],
  ['self.__namespace__ == "shop"', 3],
  ['self.created.getFullYear() == 2026', 4],
  ['self.tags == ["b", "a"]', 3],
  ['self.ports[0].target__dash__port == 80', 5],
  ['has(object.a.b) && !has(object.a.z)', 5],
  ['numbers.all(n, n > 0)', 17],
  ['numbers.exists(n, n == 2)', 17],
  ['1 in numbers', 4],
  ['object.?z.orValue("d") == "d"', 3],
  ['1 / 0 == 1 || true', 0],
  ['cel.bind(y, x + 1, y * y) == 25', 6],
  ['cel.bind(unread, 1 / (x - 4), true)', 0],
  ['quantity("1.5Gi").add(quantity("512Mi")).compareTo(quantity("2Gi")) == 0', 6],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 3],
  ['url("https://a.b:80/c?d=e").getPort() == "80"', 4],
  ['semver("v1.2", true).isLessThan(semver("1.10.0"))', 3],
  ['!format.dns1123Label().validate("web").hasValue()', 11],
  ['sets.contains(numbers, [2])', 5],
  ['[3, 1, 2].sortBy(n, -n) == [3, 2, 1]', 75],
  ['[1, 1, 2].distinct().slice(0, 2) == [1, 2]', 43],
  ['"abc".matches("^[a-c]+$") && "a1b2".findAll("[0-9]") == ["1", "2"]', 5],
  ['[1, 2, 3].transformMap(i, v, i > 0, v * 2) == {1: 4, 2: 6}', 19],
];

test('compileProgram evaluates and counts costs', () => {
  for (const [source, cost] of holding) assert.deepEqual(evaluate(source), { value: true, cost }, source);
});

test('compileProgram tells what is wrong as upstream does', () => {
  const table: readonly (readonly [source: string, message: string])[] = [
    ['self.foo', "ERROR: <input>:1:5: undefined field 'foo'\n | self.foo\n | ....^"],
    ['y', "ERROR: <input>:1:1: undeclared reference to 'y' (in container '')\n | y\n | ^"],
    [
      '1 + "a"',
      "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + \"a\"\n | ..^",
    ],
    ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
  ];
  for (const [source, message] of table) {
    assert.throws(
      () => compileProgram(source, environment),
      (error) => error instanceof CelCompileError && error.message === message,
    );
  }
});

test('Program.evaluate errs in the words of upstream', () => {
  const table: readonly (readonly [source: string, message: string])[] = [
    ['object.z', 'no such key: z'],
    ['1 / (x - 4)', 'division by zero'],
    ['1 % (x - 4)', 'modulus by zero'],
    ['9223372036854775807 + x', 'integer overflow'],
    ['numbers[3]', 'index out of bounds: 3'],
    ['object.a + 1', 'no such overload'],
    [
      'ip("1.2.3")',
      'IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): unable to parse IP',
    ],
  ];
  for (const [source, message] of table) {
    assert.throws(
      () => evaluate(source),
      (error) => error instanceof CelError && error.message === message,
      source,
    );
  }
});

test('Program.evaluate stops at the limit of its cost', () => {
  assert.throws(() => evaluate('numbers.all(n, n > 0) || true', 10), CelCostError);
});

test('Program.evaluate asks the authorizer', () => {
  asked.length = 0;
  const { cost, value } = evaluate(
    'authorizer.group("apps").resource("deployments").namespace("shop").check("get").allowed()',
  );
  assert.equal(value, true);
  assert.equal(cost, 350_005);
  assert.deepEqual(asked, [{ group: 'apps', resource: 'deployments', namespace: 'shop', verb: 'get' }]);
});

test('Program.estimateCost is bounded by the sizes of the schema', () => {
  const table: readonly (readonly [source: string, min: number, max: number])[] = [
    ['self.replicas <= 5', 3, 3],
    ['self.tags.all(t, t.startsWith("a"))', 3, 28],
    ['has(self.name)', 1, 1],
  ];
  for (const [source, min, max] of table) {
    assert.deepEqual(compileProgram(source, environment).estimateCost(), { min, max }, source);
  }
  assert.ok(
    compileProgram('self.ports.all(p, self.ports.all(q, p == q))', environment).estimateCost().max > 10_000_000,
  );
});
