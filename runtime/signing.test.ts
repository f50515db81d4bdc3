import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signer } from "./signing.ts";

const [older, newer] = [randomBytes(32), randomBytes(32)];
const own = signer([newer, older], "cursors of shop");

describe("signer", () => {
  it("opens what it signed, in the same context", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (payload, context) => {
        expect(own.open(own.sign(payload, context), context)).toBe(Buffer.from(payload).toString());
      }),
    );
  });

  it("opens nothing that was changed in any character", () => {
    const token = own.sign("[1,2]", "items");
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(own.open(changed, "items")).toBeUndefined();
    }
    for (const made of ["", "x", token.slice(1), `${token}A`, `${token}=`, ` ${token}`, token.slice(0, -1)]) {
      expect(own.open(made, "items")).toBeUndefined();
    }
  });

  it("opens nothing that was signed in another context, for another purpose or with another key", () => {
    const token = own.sign("[1,2]", "items");
    expect(own.open(token, "item")).toBeUndefined();
    expect(signer([newer], "cursors of blog").open(token, "items")).toBeUndefined();
    expect(signer([randomBytes(32)], "cursors of shop").open(token, "items")).toBeUndefined();
  });

  it("still believes older keys, and signs with the newest", () => {
    const before = signer([older], "cursors of shop");
    expect(own.open(before.sign("[1]", "items"), "items")).toBe("[1]");
    expect(before.open(own.sign("[1]", "items"), "items")).toBeUndefined();
  });

  it("needs a key", () => {
    expect(() => signer([], "cursors of shop")).toThrow("no key");
  });
});
