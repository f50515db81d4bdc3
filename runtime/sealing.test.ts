import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vault } from "./sealing.ts";

const [first, second, third] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
if (first === undefined || second === undefined || third === undefined) throw new Error("keys");
const own = vault([first], "secrets of shop");

describe("A vault", () => {
  it("opens what it sealed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
        const sealed = own.seal(text, context);
        expect(own.open(sealed, context)).toBe(text);
        expect(own.open(JSON.parse(JSON.stringify(sealed)), context)).toBe(text);
      }),
    );
  });

  it("opens nothing that was sealed for another context, purpose or key", () => {
    const sealed = own.seal("text", "secret:A");
    expect(own.open(sealed, "secret:B")).toBeUndefined();
    expect(vault([first], "secrets of other").open(sealed, "secret:A")).toBeUndefined();
    expect(vault([second], "secrets of shop").open(sealed, "secret:A")).toBeUndefined();
    // A key that is known under the id of another one.
    const foreign = { ...sealed, key: vault([second], "secrets of shop").newest };
    expect(vault([second, first], "secrets of shop").open(foreign, "secret:A")).toBeUndefined();
  });

  it("opens nothing in which one bit was changed, cut off or added", () => {
    const { key, box } = own.seal("text", "context");
    const bytes = Buffer.from(box, "base64url");
    const opens = (changed: Uint8Array) =>
      own.open({ key, box: Buffer.from(changed).toString("base64url") }, "context") !== undefined;
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(opens(changed)).toBe(false);
    }
    for (let length = 0; length < bytes.length; length += 1)
      expect(opens(bytes.subarray(0, length))).toBe(false);
    expect(opens(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe(false);
    expect(opens(bytes)).toBe(true);
  });

  it("seals by the newest key and opens by every listed one", () => {
    const sealed = own.seal("text", "context");
    const rotated = vault([second, first], "secrets of shop");
    expect(rotated.open(sealed, "context")).toBe("text");
    const anew = rotated.seal("text", "context");
    expect(anew.key).toBe(rotated.newest);
    expect(anew.key).not.toBe(own.newest);
    expect(vault([third, second], "secrets of shop").open(anew, "context")).toBe("text");
    expect(own.open(anew, "context")).toBeUndefined();
  });

  it("never seals alike, and says nothing of key or text", () => {
    const boxes = Array.from({ length: 100 }, () => own.seal("the same text", "context"));
    expect(new Set(boxes.map(({ box }) => box.slice(0, 16))).size).toBe(100);
    for (const { key, box } of boxes) {
      expect(Buffer.from(box, "base64url").includes("the same text")).toBe(false);
      expect(first.toString("hex")).not.toContain(key);
    }
  });

  it("needs a key", () => {
    expect(() => vault([], "secrets")).toThrow("no key");
  });
});
