import { expect, it } from "vitest";
import { type EventBlock, EventParser } from "./event-parser.ts";

const encoder = new TextEncoder();

function parsed(...pieces: readonly Uint8Array[]): EventBlock[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.parse(piece));
}

const text = [
  "\uFEFF: heartbeat\r\n\r\n",
  'event: created\r\ndata: {"name":"Ä 😀 日"}\r\nid: t1\r\n\r\n',
  "data:one\rdata:  two\rdata\rretry: 10\r\r",
  "id: t2\n\n",
  ":\n: comment\nevent: lost\n\n",
  "event: gone\nid: a\0b\ndata: x: y\nother: 1\n\n",
  "data: never ended\n",
].join("");

const blocks: readonly EventBlock[] = [
  { event: "created", data: '{"name":"Ä 😀 日"}', id: "t1" },
  { event: "message", data: "one\n two\n", id: undefined },
  { event: "message", data: undefined, id: "t2" },
  { event: "gone", data: "x: y", id: undefined },
];

it("comments, ids alone, all three line endings, and what was never ended", () => {
  expect(parsed(encoder.encode(text))).toEqual(blocks);
});

it("the same however the bytes are cut: in two at each place, and byte by byte", () => {
  const bytes = encoder.encode(text);
  for (let at = 0; at <= bytes.length; at++)
    expect(parsed(bytes.subarray(0, at), bytes.subarray(at)), `at ${at}`).toEqual(blocks);
  expect(parsed(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(blocks);
});

it("an event larger than its pieces comes whole", () => {
  const data = "x".repeat(3_000_000);
  const bytes = encoder.encode(`data: ${data}\n\n`);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, at) =>
    bytes.subarray(at * 16_384, (at + 1) * 16_384),
  );
  expect(parsed(...pieces)).toEqual([{ event: "message", data, id: undefined }]);
});

it("a line, and an event of many lines, without end is refused", () => {
  const mebibyte = encoder.encode("x".repeat(2 ** 20));
  const parser = new EventParser();
  const refused = /an event of more than 16777216 characters/;
  expect(() => {
    for (;;) parser.parse(mebibyte);
  }).toThrow(refused);
  const lines = new EventParser();
  const line = encoder.encode(`data: ${"x".repeat(2 ** 20)}\n`);
  expect(() => {
    for (;;) lines.parse(line);
  }).toThrow(refused);
});
