import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as names from './names.ts';

type Check = (value: string) => string[];

test('names: what is valid has no messages', () => {
  const cases: [Check, string[]][] = [
    [names.dns1123Label, ['a', 'a-1', '0', 'x'.repeat(63)]],
    [names.dns1123Subdomain, ['a', 'a.b-c.d', 'x'.repeat(253)]],
    [names.dns1123SubdomainWithUnderscore, ['_a.b_c']],
    [names.wildcardDns1123Subdomain, ['*.example.com']],
    [names.dns1035Label, ['a', 'a1-b']],
    [names.qualifiedName, ['a', 'A_b.c', 'example.com/a', '0']],
    [names.annotationKey, ['Example.COM/a']],
    [names.labelValue, ['', 'a', 'A_b.c-d']],
    [names.configMapKey, ['a.b', '_', '-x', '.hidden']],
    [names.envVarName, ['A', '_a', 'a.b-c']],
    [names.relaxedEnvVarName, ['1 a', '!"#']],
    [names.portName, ['http', 'a-1']],
    [names.percent, ['0%', '150%']],
    [names.cIdentifier, ['_a1']],
    [names.httpHeaderName, ['X-Header']],
    [names.pathSegmentName, ['system:node', 'a b']],
  ];
  for (const [check, values] of cases) {
    for (const value of values) assert.deepEqual(check(value), [], `${check.name} ${value}`);
  }
});

test('names: messages are upstream ones', () => {
  const cases: [Check, string, string][] = [
    [
      names.dns1123Label,
      'A',
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    [names.dns1123Label, 'a.b', 'must not contain dots'],
    [names.dns1123Label, 'x'.repeat(64), 'must be no more than 63 characters'],
    [
      names.dns1123Subdomain,
      'a_b',
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
        "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    [names.qualifiedName, '/a', 'prefix part must be non-empty'],
    [names.labelValue, 'x'.repeat(64), 'must be no more than 63 bytes'],
    [names.configMapKey, '..', "must not be '..'"],
    [names.envVarName, '..a', "must not start with '..'"],
    [names.relaxedEnvVarName, '', 'environment variable name must be non-empty'],
    [names.portName, '-http', 'must not begin or end with a hyphen'],
    [names.pathSegmentName, 'a/b', "may not contain '/'"],
    [names.pathSegmentName, '..', "may not be '..'"],
  ];
  for (const [check, value, message] of cases) assert.deepEqual(check(value), [message], `${check.name} ${value}`);
});

test('names: several things can be wrong at once', () => {
  assert.equal(names.portName('A--').length, 4);
  assert.deepEqual(names.qualifiedName('a/'), [
    'name part must be non-empty',
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
      "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]);
  assert.equal(names.qualifiedName('a/b/c').length, 1);
  assert.deepEqual(names.portNumber(0), ['must be between 1 and 65535, inclusive']);
  assert.equal(names.isUid('0e6f1ba0-0000-4000-8000-000000000001'), true);
});
