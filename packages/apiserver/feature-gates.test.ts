import assert from 'node:assert/strict';
import { featureGates } from '@kubernode/api';
import { test } from 'node:test';
import { checkEmulated, checkFeatureGates, oldestRelease, parseFeatureGates, parseRelease } from './feature-gates.ts';

test('parseFeatureGates reads names with true or false', () => {
  assert.deepEqual(parseFeatureGates(''), {});
  assert.deepEqual(parseFeatureGates('AllAlpha=true, kube:APIServerIdentity=F'), {
    AllAlpha: true,
    APIServerIdentity: false,
  });
});

test('parseFeatureGates refuses what it does not know, by name', () => {
  assert.throws(() => parseFeatureGates('NoSuchGate=true'), /^Error: unrecognized feature gate: NoSuchGate$/);
  assert.throws(() => parseFeatureGates('AllAlpha=maybe'), /invalid value of AllAlpha=maybe, err: strconv.ParseBool/);
  assert.throws(() => parseFeatureGates('AllAlpha'), /^Error: missing bool value for AllAlpha$/);
  assert.throws(() => parseFeatureGates('foo:AllAlpha=true'), /^Error: component not registered: foo$/);
});

const now = { emulated: '1.37', oldest: '1.36' };

test('checkFeatureGates refuses what is locked, not there yet, or without what it depends on', () => {
  checkFeatureGates({ AllAlpha: true, AllBeta: true }, now);
  checkFeatureGates({ AllBeta: false }, now);
  assert.throws(() => checkFeatureGates({ AllAlpha: true }, now), /GenericWorkload/);
  assert.throws(
    () => checkFeatureGates({ AggregatedDiscoveryRemoveBetaType: false }, now),
    /^Error: cannot set feature gate AggregatedDiscoveryRemoveBetaType to false, feature is locked to true$/,
  );
  assert.throws(
    () => checkFeatureGates({ PodLevelResourcesFixDefaulting: true }, { emulated: '1.36', oldest: '1.35' }),
    /feature is PreAlpha at emulated version 1.36, min compatibility version 1.35$/,
  );
  assert.throws(
    () => checkFeatureGates({ ClusterTrustBundle: false }, now),
    /^Error: ClusterTrustBundleProjection is enabled, but depends on features that are disabled: \[ClusterTrustBundle\]$/,
  );
});

test('an emulated release has the gates that it had', () => {
  assert.equal(featureGates({}, now)('PodLevelResourcesFixDefaulting'), true);
  assert.equal(featureGates({}, { emulated: '1.36', oldest: '1.35' })('PodLevelResourcesFixDefaulting'), false);
  assert.equal(featureGates({}, now)('DRAFractionalCapacityRange'), false);
  assert.equal(featureGates({}, { ...now, oldest: '1.37' })('DRAFractionalCapacityRange'), true);
});

test('releases are those that can be emulated', () => {
  assert.equal(parseRelease([]), undefined);
  assert.equal(parseRelease(['kube=1.36']), '1.36');
  assert.throws(() => parseRelease(['1.36.1']), /^Error: patch version not allowed, got: kube=1.36.1$/);
  assert.throws(() => parseRelease(['wardle=1.2']), /^Error: component not registered: wardle$/);
  assert.throws(() => parseRelease(['new']), /^Error: could not parse "new" as version$/);
  checkEmulated('1.34');
  assert.throws(() => checkEmulated('1.38'), /^Error: emulation version 1.38 is not between \[1.34, 1.37.0\]$/);
  assert.equal(oldestRelease(undefined, '1.37'), '1.36');
  assert.equal(oldestRelease(undefined, '1.34'), '1.34');
  assert.throws(
    () => oldestRelease('1.37', '1.36'),
    /minCompatibilityVersion version 1.37 is not between \[1.34, 1.36\]/,
  );
});
