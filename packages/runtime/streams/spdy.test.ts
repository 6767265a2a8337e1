import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, createDeflate } from 'node:zlib';
import fc from 'fast-check';
import { spdyDictionary } from './spdy-dictionary.ts';
import { encodeFrame, type SpdyFrame, SpdyFrameReader } from './spdy-frames.ts';
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy-headers.ts';

test('spdyDictionary is the one of the draft', () => {
  let [low, high] = [1, 0];
  for (const byte of spdyDictionary) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  assert.equal(spdyDictionary.length, 1423);
  assert.equal(high * 65_536 + low, 0xe3c6_a7c2);
});

test('SpdyHeaderReader reads what SpdyHeaderWriter wrote, block after block', async () => {
  const [reader, writer] = [new SpdyHeaderReader(), new SpdyHeaderWriter()];
  for (const headers of [{ streamtype: 'error' }, {}, { streamtype: 'stdin', port: '80' }]) {
    assert.deepEqual(await reader.read(writer.write(headers)), headers);
  }
  reader.close();
});

test('SpdyHeaderReader reads blocks that share one compression, as clients send them', async () => {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const reader = new SpdyHeaderReader();
  const content = Buffer.from(
    '00000001' + '0000000a' + Buffer.from('streamtype').toString('hex') + '0000000573746469',
    'hex',
  );
  const block = Buffer.concat([content, Buffer.from('n')]);
  for (let round = 0; round < 3; round++) {
    const chunks: Buffer[] = [];
    deflate.on('data', (chunk: Buffer) => chunks.push(chunk));
    deflate.write(block);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    assert.deepEqual(await reader.read(Buffer.concat(chunks)), { streamtype: 'stdin' });
    deflate.removeAllListeners('data');
  }
  deflate.destroy();
  reader.close();
});

const streamId = fc.integer({ min: 1, max: 0x7fff_ffff });
const bytes = fc.uint8Array({ maxLength: 200 }).map((value) => Buffer.from(value));
const frame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  fc.record(
    { type: fc.constant('data' as const), streamId, fin: fc.boolean(), data: bytes },
    { noNullPrototype: true },
  ),
  fc.record(
    { type: fc.constant('synStream' as const), streamId, fin: fc.boolean(), headerBlock: bytes },
    { noNullPrototype: true },
  ),
  fc.record(
    { type: fc.constant('synReply' as const), streamId, fin: fc.boolean(), headerBlock: bytes },
    { noNullPrototype: true },
  ),
  fc.record({ type: fc.constant('reset' as const), streamId, status: fc.nat() }, { noNullPrototype: true }),
  fc.record({ type: fc.constant('ping' as const), id: fc.nat() }, { noNullPrototype: true }),
  fc.record(
    { type: fc.constant('goAway' as const), lastStreamId: streamId, status: fc.nat() },
    { noNullPrototype: true },
  ),
);

test('SpdyFrameReader reads what encodeFrame wrote, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.integer({ min: 1, max: 64 }), (frames, step) => {
      const reader = new SpdyFrameReader();
      const all = Buffer.concat(frames.map(encodeFrame));
      const read: SpdyFrame[] = [];
      for (let at = 0; at < all.length; at += step) read.push(...reader.push(all.subarray(at, at + step)));
      assert.deepEqual(read, frames);
    }),
  );
});

test('SpdyFrameReader refuses what is not SPDY/3', () => {
  assert.throws(() => new SpdyFrameReader().push(Buffer.from('8002000100000000', 'hex')), /version 2 is not 3/);
});
