import {
  DUMP_SCHEMA,
  FAILSAFE_SCHEMA,
  NOT_RESOLVED,
  Schema,
  binaryTag,
  boolYaml11Tag,
  defineScalarTag,
  intYaml11Tag,
  mergeTag,
  nullYaml11Tag,
} from 'js-yaml';
import { exactInteger } from '@kubernode/machinery';

/**
 * YAML 1.1 as the Go library of sigs.k8s.io/yaml reads it: `y`, `yes` and `on` are true, `0777` is octal; but `1:30` is a
 * string, not a number to the base of 60, and timestamps stay strings. What is a whole number is an integer, even where it
 * is written with a fraction, as the value goes through JSON; integers beyond 64 bits are the nearest double first.
 */
const truths = new Set(['true', 'yes', 'on', 'y'].flatMap(spellings));
const untruths = new Set(['false', 'no', 'off', 'n'].flatMap(spellings));

const boolTag = defineScalarTag<boolean>(boolYaml11Tag.tagName, {
  implicit: true,
  implicitFirstChars: 'yYnNtTfFoO'.split(''),
  resolve(source) {
    if (truths.has(source)) return true;
    return untruths.has(source) ? false : NOT_RESOLVED;
  },
  identify: () => false,
});

const uint64Max = 2n ** 64n - 1n;
const int64Min = -(2n ** 63n);

const intTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: '+-0123456789'.split(''),
  resolve(source) {
    const match = /^([+-]?)(0[bB][01_]+|0[xX][\da-fA-F_]+|0[oO]?[0-7_]+|0|[1-9][\d_]*)$/.exec(source);
    if (!match) return NOT_RESOLVED;
    const [, sign = '', written = ''] = match;
    const digits = written.replaceAll('_', '').replace(/^0(?=[0-7]+$)/, '0o');
    if (/^0[boxBOX]$/.test(digits)) return NOT_RESOLVED;
    const magnitude = BigInt(digits);
    const value = sign === '-' ? -magnitude : magnitude;
    return value > uint64Max || value < int64Min ? wholeOrFraction(Number(value)) : exactInteger(String(value));
  },
  identify: () => false,
});

const floatTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: '+-.0123456789'.split(''),
  resolve(source) {
    const value = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source) ? Number(source) : Number.NaN;
    return Number.isFinite(value) ? wholeOrFraction(value) : NOT_RESOLVED;
  },
  identify: () => false,
});

/** As JSON prints a double, and reads it again. */
function wholeOrFraction(value: number): number | bigint {
  const text = String(value);
  return /^-?\d+$/.test(text) ? exactInteger(text) : value;
}

/** JSON has only strings for it. */
const binaryTextTag = defineScalarTag<string>(binaryTag.tagName, {
  resolve: (source) => Buffer.from(source, 'base64').toString('utf8'),
  identify: () => false,
});

export const kubernetesYaml: Schema = new Schema([
  ...FAILSAFE_SCHEMA.tags,
  nullYaml11Tag,
  boolTag,
  intTag,
  floatTag,
  binaryTextTag,
  mergeTag,
]);

/** What is printed may have integers that only a bigint holds. */
export const printedYaml: Schema = DUMP_SCHEMA.withTags({
  ...intYaml11Tag,
  identify: (value) => typeof value === 'bigint' || intYaml11Tag.identify(value),
});

/** `yes`, `Yes`, `YES`. */
function spellings(word: string): string[] {
  return [...new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])];
}
