import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame, FrameReader, frameTypes, header } from './http2-frames.ts';

test('FrameReader takes frames apart, wherever they are cut', () => {
  const sent = Buffer.concat([
    frame({ type: frameTypes.settings }, Buffer.alloc(0)),
    frame({ type: frameTypes.headers, flags: 4, stream: 3 }, Buffer.from([0x88, 1, 2])),
    frame({ type: frameTypes.data, stream: 3 }, Buffer.from('one')),
    frame({ type: frameTypes.data, stream: 70_001 }, Buffer.alloc(0)),
    frame({ type: frameTypes.data, stream: 70_001 }, Buffer.from('two')),
    frame({ type: frameTypes.ping }, Buffer.from('12345678')),
  ]);
  for (const size of [1, 2, 8, 9, 10, 13, 1_000]) {
    const streams: Record<number, string> = {};
    const controls: unknown[] = [];
    const reader = new FrameReader({
      data: (stream, piece) => (streams[stream] = (streams[stream] ?? '') + piece.toString()),
      control: ({ type, flags, stream }, payload) => controls.push([type, flags, stream, payload.toString('hex')]),
    });
    for (let at = 0; at < sent.length; at += size) {
      const piece = Buffer.from(sent.subarray(at, at + size));
      reader.read(piece, piece.length);
    }
    assert.deepEqual(streams, { 3: 'one', 70001: 'two' }, `pieces of ${size}`);
    assert.deepEqual(controls, [
      [4, 0, 0, ''],
      [1, 4, 3, '880102'],
      [6, 0, 0, '3132333435363738'],
    ]);
  }
});

test('header writes names and lengths as RFC 7541 does', () => {
  assert.equal(header(4, '/a').toString('hex'), `0402${'2f61'}`);
  // Both numbers are longer than their bits: 23 in four, 200 in seven.
  assert.equal(header(23, 'b'.repeat(200)).toString('hex'), `0f087f49${'62'.repeat(200)}`);
});
