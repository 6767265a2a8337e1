import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame, literal, type as frameTypes } from '../../test/robust/frames.ts';
import { FrameReader } from './http2-frames.ts';

test('FrameReader takes frames apart, wherever they are cut', () => {
  const sent = Buffer.concat([
    frame(frameTypes.settings, 0, 0),
    frame(frameTypes.headers, 4, 3, Buffer.from([0x88, 1, 2])),
    frame(frameTypes.data, 0, 3, Buffer.from('one')),
    frame(frameTypes.data, 0, 70_001, Buffer.alloc(0)),
    frame(frameTypes.data, 0, 70_001, Buffer.from('two')),
    frame(frameTypes.ping, 0, 0, Buffer.from('12345678')),
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

test('literal writes lengths as RFC 7541 does', () => {
  assert.equal(literal('/a').toString('hex'), `02${'2f61'}`);
  // Longer than its seven bits.
  assert.equal(literal('b'.repeat(200)).toString('hex'), `7f49${'62'.repeat(200)}`);
});
