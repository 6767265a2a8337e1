import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from './answer-reader.ts';

const long = 'x'.repeat(3_000);
const answers = [
  { text: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ndate: now\r\n\r\n{"a"}', code: 200, body: '{"a"}' },
  { text: 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', code: 404, body: '' },
  {
    text: 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0\r\n\r\n67890\r\n0\r\n\r\n',
    code: 201,
    body: 'abc0\r\n\r\n67890',
  },
  { text: 'HTTP/1.1 500 Error\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', code: 500, body: '' },
  { text: `HTTP/1.1 200 OK\r\nx-long: ${long}\r\ncontent-length: 3000\r\n\r\n${long}`, code: 200, body: long },
];

/** Reads the answers one after the other in pieces of at most so many bytes. */
function readInPieces(size: number): void {
  const reader = new AnswerReader();
  const memory = Buffer.alloc(size);
  for (const { text, code, body } of answers) {
    reader.kept = [];
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += size) {
      const length = all.copy(memory, 0, at, at + size);
      assert.equal(reader.read(memory, length), at + size >= all.length, `${size}: ${text.slice(0, at + size)}`);
    }
    assert.deepEqual([reader.code, Buffer.concat(reader.kept).toString(), reader.bytes], [code, body, body.length]);
  }
}

test('AnswerReader finds the ends of answers, wherever they are cut', () => {
  for (const size of [1, 2, 3, 5, 7, 64, 1_024, 1_025, 10_000]) readInPieces(size);
});
