import {
  FAILSAFE_SCHEMA,
  NOT_RESOLVED,
  Schema,
  binaryTag,
  boolYaml11Tag,
  defineScalarTag,
  mergeTag,
  nullYaml11Tag,
} from 'js-yaml';

/**
 * YAML 1.1 as the Go library of sigs.k8s.io/yaml reads it: `y`, `yes` and `on` are true, `0777` is octal; but `1:30` is a
 * string, not a number to the base of 60, and timestamps stay strings.
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

const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: '+-0123456789'.split(''),
  resolve(source) {
    const match = /^([+-]?)(0[bB][01_]+|0[xX][\da-fA-F_]+|0[oO]?[0-7_]+|0|[1-9][\d_]*)$/.exec(source);
    if (!match) return NOT_RESOLVED;
    const [, sign = '', written = ''] = match;
    const digits = written.replaceAll('_', '');
    const value = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
    return sign === '-' ? -value : value;
  },
  identify: () => false,
});

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: '+-.0123456789'.split(''),
  resolve(source) {
    return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source) ? Number(source) : NOT_RESOLVED;
  },
  identify: () => false,
});

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

/** `yes`, `Yes`, `YES`. */
function spellings(word: string): string[] {
  return [...new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])];
}
