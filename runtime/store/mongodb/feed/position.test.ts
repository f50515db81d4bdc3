import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { positionOf, tokenOf } from "./position.ts";

const data = "8265AB01CD000000012B042C0100296E5A1004";

test("a resume token and its position", () => {
  expect(positionOf({ _data: data })).toBe(data);
  expect(tokenOf(data)).toEqual({ _data: data });
});

test("a resume token with type bits, as those of documents with numbers in their shard key", () => {
  const token = { _data: data, _typeBits: new Binary(Buffer.from([0, 250, 7])) };
  const position = positionOf(token);
  expect(position).toMatch(/^[\w.-]+$/);
  expect(position).not.toBe(data);
  expect(tokenOf(position)).toEqual(token);
});

test.each(["", "x", "-1", "1.5", "8", "82zz", "82 ", "82\n", "82.", ".82", "82.a.b", `${data}.é`, "a2"])(
  "%j is no position",
  (position) => {
    expect(tokenOf(position)).toBeUndefined();
  },
);

test("nothing longer than a token is one", () => {
  expect(tokenOf("82".repeat(4_096))).toBeDefined();
  expect(tokenOf("82".repeat(4_097))).toBeUndefined();
  expect(tokenOf(`82.${"a".repeat(513)}`)).toBeUndefined();
});

test.each([null, undefined, "82", {}, { _data: 1 }])("%j is no resume token", (token) => {
  expect(() => positionOf(token)).toThrow("resume token");
});
