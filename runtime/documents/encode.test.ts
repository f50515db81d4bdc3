import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { runs } from "../testing/random.ts";
import { documentText, parseDocument, splitDocument, withMeta } from "./encode.ts";

const hostile = fc.constantFrom("_meta", ',"_meta":', '"}', "\\", '","_meta":{"', "id", "__proto__");
const member = fc
  .oneof(hostile, fc.string({ maxLength: 8 }))
  .filter((name) => name !== "id" && name !== "_meta");
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    hostile,
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(hostile, fc.string({ maxLength: 4 })), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const members = fc
  .array(fc.tuple(member, value), { maxLength: 5 })
  .map(
    (pairs): JsonObject =>
      JSON.parse(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`),
  );
const meta = fc
  .record({
    version: fc.nat(),
    created_by: fc.oneof(hostile, fc.string()),
    deleted_at: fc.option(fc.string()),
  })
  .map((given): JsonObject => ({ ...given }));

test("Document: the text holds id, the document's own members and _meta, in this order", () => {
  fc.assert(
    fc.property(members, meta, (own, meta) => {
      const text = documentText("abc", own, JSON.stringify(meta));
      expect(text.startsWith('{"id":"abc",')).toBe(true);
      expect(text.endsWith(`,"_meta":${JSON.stringify(meta)}}`)).toBe(true);
      const { id, _meta, ...rest } = parseDocument(text);
      expect(id).toBe("abc");
      expect(JSON.stringify(rest)).toBe(JSON.stringify(own));
      expect(JSON.stringify(_meta)).toBe(JSON.stringify(meta));
    }),
  );
});

test("Document: cut apart and put together, a text is the same, whatever it holds", () => {
  fc.assert(
    fc.property(members, meta, meta, (own, meta, other) => {
      const parts = splitDocument(documentText("abc", own, JSON.stringify(meta)));
      expect(JSON.stringify(parts.meta)).toBe(JSON.stringify(meta));
      expect(withMeta(parts, JSON.stringify(other))).toBe(documentText("abc", own, JSON.stringify(other)));
    }),
    { numRuns: runs(300) },
  );
});

test.each([
  '{"id":"x"}',
  '{"id":"x","_meta":null}',
  '{"id":"x","_meta":{"version":1},"a":1}',
  '{"_meta":{"version":1},"id":"x"}',
  '{"id":"x","a":{"_meta":{"k":1}}}',
  '{"id":"x","_meta":{"version":1},"a":{"b":1,"_meta":{"k":1}}}',
])("Document: a text that another hand wrote is understood: %s", (text) => {
  const parts = splitDocument(text);
  const { _meta: stored, ...rest } = JSON.parse(text);
  expect(parts.meta).toEqual(stored ?? {});
  expect(JSON.parse(withMeta(parts, '{"version":2}'))).toEqual({ ...rest, _meta: { version: 2 } });
  expect(parseDocument(text)).toEqual({ ...rest, _meta: stored ?? {} });
});
