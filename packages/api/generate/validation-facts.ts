/**
 * Reads the markers of declarative validation (`+k8s:required`, `+k8s:maxItems=8`) out of the published Go types and
 * writes them as facts: what upstream checks by them and nothing else checks. Run once for a release.
 *
 * Usage: node packages/api/generate/validation-facts.ts FOLDER_OF_K8S_IO_API > packages/api/facts/validation-1.37.json
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Of each field, by its JSON name, its markers in order; '' holds the embedded types, whose fields are this type's. */
export type TypeMarkers = Record<string, string[]>;

/** Markers that say nothing of values, or belong to the machinery of Go. */
const ignored =
  /^(k8s:)?(deepcopy|conversion|prerelease|protobuf|openapi|validation-gen|(supports|is)Subresource|alpha|deprecated|customValidation|item|subfield)/;

interface Declared {
  readonly structs: Record<string, { readonly markers: string[]; readonly field: string; readonly goType: string }[]>;
  /** Markers of named strings: `+k8s:enum`. */
  readonly named: Record<string, string[]>;
  /** Of each constant its type, where it says one, and its value or the other constant that it is. */
  readonly constants: Record<string, { readonly type: string; readonly value: string }>;
}

function parse(source: string): Declared {
  const declared: Declared = { structs: {}, named: {}, constants: {} };
  let markers: string[] = [];
  let struct = '';
  for (const line of source.split('\n')) {
    const comment = /^\s*\/\/ ?\+(.*)$/.exec(line)?.[1]?.trim();
    if (comment !== undefined) {
      const marker = normalized(comment);
      if (comment.startsWith('k8s:') && !ignored.test(comment) && !ignored.test(marker)) markers.push(marker);
      continue;
    }
    if (/^\s*\/\//.test(line)) continue;
    const started = /^type (\w+) struct \{/.exec(line)?.[1];
    const [, name, of] = /^type (\w+) (\w+)$/.exec(line.trim()) ?? [];
    const [, constant, , typed, cast, value] = /^\s+(\w+)(\s+(\w+))?\s+= (\w+\()?([\w.]+|"[^"]*")\)?/.exec(line) ?? [];
    if (constant && value) declared.constants[constant] = { type: typed ?? cast?.slice(0, -1) ?? '', value };
    if (started) declared.structs[(struct = started)] = [];
    else if (line.startsWith('}')) struct = '';
    else if (name && of) declared.named[name] = markers;
    else if (struct) {
      const [, , goType = '', field = '', inline] =
        /^\s+(?:(\w+) +)?([\w.*[\]]+) +`.*?json:"([^",]*)(,inline)?/.exec(line) ?? [];
      if (goType && (inline || field)) declared.structs[struct]?.push({ markers, field: inline ? '' : field, goType });
    }
    markers = [];
  }
  return declared;
}

/** `enum=A,B`: the constants of the type are its values. `others`: the core group's, which some of them name. */
function withValues(declared: Declared, name: string, others: Declared['constants']): string[] {
  const values = Object.values(declared.constants)
    .filter(({ type }) => type === name)
    .map(({ value }) => (value.startsWith('"') ? value : (others[value.replace(/^v1\./, '')]?.value ?? value)));
  const list = values.map((value) => value.replaceAll('"', '')).toSorted();
  return (declared.named[name] ?? []).map((marker) => (marker === 'enum' ? `enum=${list.join(',')}` : marker));
}

/** `beta(since: "1.37")=+` is how far the marker's own life is; comments behind a value and quotes around it go. */
function normalized(marker: string): string {
  return marker
    .replace(/^k8s:beta\([^)]*\)=\+/, '')
    .replace(/\s+(#|\/\/).*$/, '')
    .replaceAll(/["+]|k8s:/g, '');
}

function markersOf(declared: Declared, group: string, others: Declared['constants']): Record<string, TypeMarkers> {
  const types: Record<string, TypeMarkers> = {};
  for (const [name, fields] of Object.entries(declared.structs)) {
    const own: TypeMarkers = {};
    for (const { field, goType, markers } of fields) {
      const element = goType.replace(/^[*[\]]+/, '');
      if (field === '') {
        if (!element.includes('.')) (own[''] ??= []).push(`${group}.${element}`);
        continue;
      }
      const ofType = withValues(declared, element, others).map((one) =>
        goType.startsWith('[]') ? `eachVal=${one}` : one,
      );
      if (markers.length + ofType.length > 0) own[field] = [...markers, ...ofType];
    }
    if (Object.keys(own).length > 0) types[`${group}.${name}`] = own;
  }
  return types;
}

function main(folder: string): void {
  const all: Record<string, TypeMarkers> = {};
  const { constants } = parse(readFileSync(join(folder, 'core/v1/types.go'), 'utf8'));
  for (const register of globSync('*/*/register.go', { cwd: folder })) {
    const place = join(folder, dirname(register));
    const version = basename(place);
    const groupName = /GroupName\s*=\s*"([^"]*)"/.exec(readFileSync(join(folder, register), 'utf8'))?.[1];
    const files = globSync('*types*.go', { cwd: place }).toSorted();
    const source = files.map((file) => readFileSync(join(place, file), 'utf8')).join('\n');
    Object.assign(all, markersOf(parse(source), `${groupName || 'core'}/${version}`, constants));
  }
  const embedded = ({ '': types = [] }: TypeMarkers) => types.some((name) => all[name]);
  const kept = Object.entries(all).filter(([, own]) => Object.keys(own).some((name) => name !== '') || embedded(own));
  process.stdout.write(
    `${JSON.stringify(Object.fromEntries(kept.toSorted(([left], [right]) => (left < right ? -1 : 1))), undefined, 1)}\n`,
  );
}

if (import.meta.main) main(process.argv[2] ?? '.');
