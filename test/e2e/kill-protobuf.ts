/** As much of protobuf as tells which object a watch event is about; of its own, so that no codec checks itself. */

export interface WireEvent {
  readonly type: string;
  readonly kind: string;
  /** Of a Status. */
  readonly reason: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** Frames of a length (four bytes) and a WatchEvent; answers what is left of the last one. */
export function readFrames(bytes: Buffer, onEvent: (event: WireEvent) => void): Buffer {
  let rest = bytes;
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const end = 4 + rest.readUInt32BE(0);
    onEvent(readEvent(rest.subarray(4, end)));
    rest = rest.subarray(end);
  }
  return rest;
}

function readEvent(bytes: Buffer): WireEvent {
  const event = fieldsOf(bytes);
  const text = (fields: Map<number, Buffer[]>, field: number) => fields.get(field)?.[0]?.toString() ?? '';
  const raw = fieldsOf(event.get(2)![0]!).get(1)![0]!;
  if (raw.toString('latin1', 0, 4) !== 'k8s\0') throw new Error('an object of a watch event begins with "k8s\\0"');
  const unknown = fieldsOf(raw.subarray(4));
  const object = fieldsOf(unknown.get(2)![0]!);
  const metadata = fieldsOf(object.get(1)?.[0] ?? Buffer.alloc(0));
  const annotations = (metadata.get(12) ?? []).map((entry) => {
    const fields = fieldsOf(entry);
    return [text(fields, 1), text(fields, 2)];
  });
  return {
    type: text(event, 1),
    kind: text(fieldsOf(unknown.get(1)![0]!), 2),
    reason: text(object, 4),
    metadata: {
      name: text(metadata, 1),
      namespace: text(metadata, 3),
      uid: text(metadata, 5),
      resourceVersion: text(metadata, 6),
      annotations: Object.fromEntries(annotations) as Record<string, string>,
    },
  };
}

/** The length-delimited fields by their numbers; numbers are skipped. */
function fieldsOf(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = () => {
    for (let value = 0, shift = 1; ; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag % 8 === 0) varint();
    else if (tag % 8 === 2) {
      const end = varint() + at;
      const known = fields.get(tag >> 3);
      if (known) known.push(bytes.subarray(at, end));
      else fields.set(tag >> 3, [bytes.subarray(at, end)]);
      at = end;
    } else throw new Error(`field ${tag >> 3} has wire type ${tag % 8}, expected 0 or 2`);
  }
  return fields;
}
