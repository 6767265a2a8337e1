import { StatusError } from '@kubernode/api';
import { parseFieldSelector, parseLabelSelector, type FieldRequirement, type LabelMatcher } from '@kubernode/machinery';
import type { ResourceCall } from '../../context.ts';
import { objectIn } from '../../encode/value.ts';
import type { ServedResource } from '../../registry.ts';
import { isTrue } from '../../route.ts';
import type { SelectedField, Selection } from '../../storage/selection.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { selectsNamespace } from '../strategies.ts';
import { FieldRequirements } from './field-requirements.ts';

/** What a list or a watch is asked for. */
export interface ListOptions {
  readonly selection: Selection;
  /** Whether labels or fields leave objects out, so that counts of what remains are not known. */
  readonly isSelective: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Throws BadRequest on selectors that cannot be read or that the kind does not know. */
export function listOptions(call: ResourceCall): ListOptions {
  const { query } = call.request;
  const { namespace, name } = call.route.attributes;
  const labels = readLabels(query.get('labelSelector') ?? '');
  const fields = readFields(query.get('fieldSelector') ?? '');
  const selection = selectionOf(call.resource, { namespace, name }, labels, fields);
  return {
    selection,
    isSelective: selection.matches !== undefined || selection.name !== '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integer(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
  };
}

function readLabels(text: string): LabelMatcher | undefined {
  if (text === '') return undefined;
  try {
    const matcher = parseLabelSelector(text);
    return matcher.empty ? undefined : matcher;
  } catch (error) {
    throw StatusError.badRequest(`unable to parse requirement: ${(error as Error).message}`);
  }
}

function readFields(text: string): readonly FieldRequirement[] {
  try {
    return text === '' ? [] : parseFieldSelector(text);
  } catch (error) {
    throw StatusError.badRequest((error as Error).message);
  }
}

function selectionOf(
  resource: ServedResource,
  scope: { readonly namespace: string; readonly name: string },
  labels: LabelMatcher | undefined,
  fields: readonly FieldRequirement[],
): Selection {
  let name = scope.name;
  let namespace = resource.namespaced ? scope.namespace : '';
  let selected: SelectedField | undefined;
  const ofFields = new Map<string, FieldRequirements>();
  for (const requirement of fields) {
    const { field, operator, value } = requirement;
    const narrows = operator === '=' && value !== '';
    if (field === 'metadata.name' && narrows && name === '') name = value;
    else if (field === 'metadata.namespace' && narrows && namespace === '' && resource.namespaced) namespace = value;
    else {
      const { form, read } = readerOf(resource, field);
      if (operator === '=' && form !== undefined) selected ??= { form, value, read };
      const required = ofFields.get(field) ?? new FieldRequirements(read);
      ofFields.set(field, required);
      required.add(requirement);
    }
  }
  const tests = [...ofFields.values()].map((required) => (object: StoredObject) => required.matches(object));
  if (labels) tests.push((object) => labels.matches(object.labels));
  const [first] = tests;
  const matches = tests.length > 1 ? (object: StoredObject) => tests.every((test) => test(object)) : first;
  return { namespace, name, field: selected, matches };
}

/** How a field is read, and what its value is kept by with the object; undefined where that is no effort. */
function readerOf(
  resource: ServedResource,
  field: string,
): { readonly form?: string; readonly read: (object: StoredObject) => string } {
  if (field === 'metadata.name') return { read: ({ name }) => name };
  if (field === 'metadata.namespace' && selectsNamespace(resource)) return { read: ({ namespace }) => namespace };
  const read = resource.definition.selectableFields?.[field];
  if (!read) throw StatusError.badRequest(`field label not supported: ${field}`);
  const form = `field:${resource.conversion.readForm ?? resource.apiVersion}:${field}`;
  return { form, read: (object) => object.form(form, () => read(objectIn(object, resource))) };
}

const int64DigitsMax = 19;

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const failure = (why: string) => StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw failure('invalid syntax');
  const digits = text.replace(/^[+-]/, '').replace(/^0+(?=\d)/, '');
  // To make a bigint of a URL full of digits takes most of a second.
  const size = digits.length > int64DigitsMax ? undefined : BigInt(digits);
  const value = size !== undefined && text.startsWith('-') ? -size : size;
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw failure('value out of range');
  return Number(value);
}
