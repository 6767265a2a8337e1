/** One condition of `--field-selector`; all must hold. */
export interface FieldRequirement {
  /** `metadata.name` */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Parses `metadata.name=a,status.phase!=Running`. "=" and "==" are the same; "\\", "\," and "\=" escape in a value.
 * Throws an Error with upstream's wording.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const match = /!=|==|=/.exec(term);
    if (!match) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescapeValue(term.slice(match.index + match[0].length));
    requirements.push({ field: term.slice(0, match.index), operator: match[0] === '!=' ? '!=' : '=', value });
  }
  return requirements;
}

/** Whether an object's fields satisfy the conditions; `valueOf` answers '' for a field without a value. */
export function matchesFields(requirements: readonly FieldRequirement[], valueOf: (field: string) => string): boolean {
  return requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === '='));
}

/** The selector in its own grammar, values escaped. */
export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',');
}

/** Makes any text safe as a value of a field selector. */
export const escapeFieldValue = (value: string) => value.replace(/[\\,=]/g, '\\$&');

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(escaped: string): string {
  let value = '';
  for (let index = 0; index < escaped.length; index += 1) {
    const character = escaped.charAt(index);
    if (character === ',' || character === '=') {
      throw new Error(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    }
    if (character !== '\\') {
      value += character;
      continue;
    }
    index += 1;
    const next = escaped.charAt(index);
    if (next !== '\\' && next !== ',' && next !== '=') {
      throw new Error(`invalid field selector: invalid escape sequence: \\${next}`);
    }
    value += next;
  }
  return value;
}
