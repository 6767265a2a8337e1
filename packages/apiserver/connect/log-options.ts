import { StatusError, type FieldCause } from '@kubernode/api';
import { parseTime } from '@kubernode/machinery';

const integers = ['tailLines', 'sinceSeconds', 'limitBytes'] as const;
const flags = ['follow', 'previous', 'timestamps'] as const;

/**
 * Checks the query of a log request (core/v1 PodLogOptions) and answers the kubelet's. Throws BadRequest for what is not
 * of the right form, Invalid for what is out of bounds.
 */
export function kubeletLogQuery(query: URLSearchParams, podName: string): URLSearchParams {
  const kubelet = new URLSearchParams();
  for (const name of flags) if (isTrue(query.get(name))) kubelet.set(name, 'true');
  for (const name of integers) {
    const text = query.get(name);
    if (text === null || text === '') continue;
    if (!/^[+-]?\d+$/.test(text))
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    kubelet.set(name, text);
  }
  const sinceTime = query.get('sinceTime');
  if (sinceTime) {
    if (parseTime(sinceTime) === undefined)
      throw StatusError.badRequest(`parsing time ${JSON.stringify(sinceTime)} as RFC 3339: cannot parse`);
    kubelet.set('sinceTime', sinceTime);
  }
  const stream = query.get('stream');
  if (stream && stream !== 'All') kubelet.set('stream', stream);
  const causes = causesOf(kubelet);
  if (causes.length > 0) throw StatusError.invalid({ group: '', kind: 'PodLogOptions' }, podName, causes);
  return kubelet;
}

const isTrue = (value: string | null): boolean => value !== null && value !== '0' && value.toLowerCase() !== 'false';

function causesOf(query: URLSearchParams): FieldCause[] {
  const causes: FieldCause[] = [];
  const bound = (field: string, least: number, why: string) => {
    const value = query.get(field);
    if (value !== null && Number(value) < least)
      causes.push({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${value}: ${why}` });
  };
  bound('tailLines', 0, 'must be greater than or equal to 0');
  bound('limitBytes', 1, 'must be greater than 0');
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    const message = 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified';
    causes.push({ reason: 'FieldValueForbidden', field: '[]', message });
  } else bound('sinceSeconds', 1, 'must be greater than 0');
  const stream = query.get('stream');
  if (stream && !['Stdout', 'Stderr'].includes(stream)) {
    const message = 'Forbidden: supported values: "All", "Stdout", "Stderr"';
    causes.push({ reason: 'FieldValueForbidden', field: 'stream', message });
  } else if (stream && query.has('tailLines')) {
    const message = 'Forbidden: `tailLines` and specific `stream` are mutually exclusive for now';
    causes.push({ reason: 'FieldValueForbidden', field: '[]', message });
  }
  return causes;
}
