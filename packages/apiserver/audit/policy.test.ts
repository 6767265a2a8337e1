import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEvaluator, type PolicyRule } from './policy.ts';
import { parsePolicy } from './policy-file.ts';

const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const base = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'n', name: 'p', path: '' };
const get = { ...base, verb: 'get' };
const log = { ...get, subresource: 'log' };
const page = { ...base, verb: 'get', resource: '', namespace: '', name: '', path: '/healthz/ping' };

test('policyEvaluator matches users, groups, verbs, resources, namespaces and paths', () => {
  const cases: [Omit<PolicyRule, 'level'>, object, boolean][] = [
    [{}, get, true],
    [{ users: ['jane'] }, get, true],
    [{ users: ['bob'] }, get, false],
    [{ userGroups: ['devs'] }, get, true],
    [{ userGroups: ['ops'] }, get, false],
    [{ verbs: ['list'] }, get, false],
    [{ namespaces: ['n'] }, get, true],
    [{ namespaces: [''] }, get, false],
    [{ namespaces: ['n'] }, page, false],
    [{ resources: [{ group: '', resources: ['pods'] }] }, get, true],
    [{ resources: [{ group: '', resources: ['pods'] }] }, log, false],
    [{ resources: [{ group: '', resources: ['pods/log'] }] }, log, true],
    [{ resources: [{ group: '', resources: ['pods/*'] }] }, log, true],
    [{ resources: [{ group: '', resources: ['pods/*'] }] }, get, true],
    [{ resources: [{ group: '', resources: ['*/log'] }] }, log, true],
    [{ resources: [{ group: '', resources: ['*/log'] }] }, get, false],
    [{ resources: [{ group: '*', resources: ['*'] }] }, log, true],
    [{ resources: [{ group: 'apps' }] }, get, false],
    [{ resources: [{ group: '' }] }, log, true],
    [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['q'] }] }, get, false],
    [{ nonResourceURLs: ['/healthz*'] }, page, true],
    [{ nonResourceURLs: ['/healthz'] }, page, false],
    [{ nonResourceURLs: ['*'] }, get, false],
  ];
  for (const [rule, attributes, isMatch] of cases) {
    const evaluate = policyEvaluator({ rules: [{ level: 'Request', ...rule }] });
    const { level } = evaluate(jane, attributes as typeof get);
    assert.equal(level, isMatch ? 'Request' : 'None', JSON.stringify([rule, attributes]));
  }
});

test('policyEvaluator takes the first rule, and adds up stages that are left out', () => {
  const evaluate = policyEvaluator({
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'Metadata', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
      { level: 'Request', verbs: ['get', 'list'] },
    ],
  });
  const first = evaluate(jane, get);
  assert.deepEqual(
    [first.level, first.omitManagedFields, [...first.omitStages]],
    ['Metadata', false, ['RequestReceived', 'Panic']],
  );
  assert.equal(evaluate(jane, { ...get, verb: 'list' }).omitManagedFields, true);
});

test('parsePolicy says what is wrong, by its path', () => {
  const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';
  const cases = [
    ['kind: Policy', /unknown group version/],
    [`${head}rules: []`, /0 rules/],
    [`${head}rules: [{level: All}]`, /rules\[0\]\.level: Unsupported value: "All"/],
    [`${head}rules: [{verbs: [get]}]`, /rules\[0\]\.level: Required value/],
    [`${head}rules: [{level: None, nonResourceURLs: [a]}]`, /must begin with a '\/'/],
    [`${head}rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]`, /cannot apply to both/],
    [`${head}omitStages: [Never]\nrules: [{level: None}]`, /omitStages\[0\]: Invalid value: "Never"/],
  ] as const;
  for (const [text, message] of cases) assert.throws(() => parsePolicy(text), message);
  assert.equal(parsePolicy(`${head}rules: [{level: Metadata}]`).rules.length, 1);
});
