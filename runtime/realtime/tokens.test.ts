import { describe, expect, test } from "vitest";
import { collection } from "../documents/testing/shop.ts";
import { heldClock } from "../instance/testing/servers.ts";
import { allowed, denied } from "../rules/index.ts";
import { signer } from "../signing.ts";
import { type Borne, Tokens } from "./tokens.ts";

const notes = collection("notes", { rules: { read: allowed } });
const changed = collection("notes", { rules: { read: denied } });
const borne = (more: Partial<Borne> = {}): Borne => ({
  identity: "s of notes",
  definition: notes,
  key: "true",
  ...more,
});

function realm(...keys: readonly number[]) {
  const clock = heldClock();
  const secrets = keys.map((key) => Buffer.alloc(32, key));
  return { clock, tokens: new Tokens(signer(secrets, "streams of shop"), clock) };
}

const issued = (tokens: Tokens, caller = "user a", subscriptions = [borne()], position = "p1") =>
  tokens.issue(tokens.bearing(caller, subscriptions), position);

describe("resume tokens (Realtime stream events 5)", () => {
  test("tell the position, and what of a subscription is as it was", () => {
    const { tokens } = realm(1);
    const read = tokens.read(issued(tokens), "user a");
    expect(read?.position).toBe("p1");
    expect(read?.isOld).toBe(false);
    expect(read?.remembers(borne())).toEqual({ sameAccess: true, sameRules: true });
    expect(read?.remembers(borne({ key: "false" }))).toEqual({ sameAccess: false, sameRules: true });
    expect(read?.remembers(borne({ definition: changed }))).toEqual({ sameAccess: true, sameRules: false });
    expect(read?.remembers(borne({ identity: "t of notes" }))).toBeUndefined();
  });

  test("are nobody else's, no other realm's, and none once their key is no longer listed", () => {
    const { tokens } = realm(1);
    const token = issued(tokens);
    expect(tokens.read(token, "user b")).toBeUndefined();
    const others = new Tokens(signer([Buffer.alloc(32, 1)], "streams of other"), heldClock());
    expect(others.read(token, "user a")).toBeUndefined();
    expect(realm(2, 1).tokens.read(token, "user a")?.position).toBe("p1");
    expect(realm(2).tokens.read(token, "user a")).toBeUndefined();
  });

  test("whose bits are changed are refused, wherever", () => {
    const { tokens } = realm(1);
    const bytes = Buffer.from(issued(tokens), "base64url");
    for (let at = 0; at < bytes.length * 8; at += 1) {
      const forged = Buffer.from(bytes);
      forged.writeUInt8(forged.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
      expect(tokens.read(forged.toString("base64url"), "user a")).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length += 1) {
      expect(tokens.read(bytes.subarray(0, length).toString("base64url"), "user a")).toBeUndefined();
    }
  });

  test("are old after a day", () => {
    const { tokens, clock } = realm(1);
    const token = issued(tokens);
    clock.advance(24 * 3_600_000);
    expect(tokens.read(token, "user a")?.isOld).toBe(false);
    clock.advance(1_000);
    expect(tokens.read(token, "user a")?.isOld).toBe(true);
  });

  test("of the most subscriptions, with a long position, stay within 1 KiB", () => {
    const { tokens } = realm(1);
    const all = Array.from({ length: 20 }, (_, at) => borne({ identity: `s${at}` }));
    expect(issued(tokens, "user a", all, "8".repeat(200)).length).toBeLessThanOrEqual(1_024);
  });

  test("are made once for streams that are the same, and another one for each position", () => {
    const { tokens } = realm(1);
    expect(tokens.bearing("user a", [borne()])).toBe(tokens.bearing("user a", [borne()]));
    expect(tokens.bearing("user a", [borne()])).not.toBe(tokens.bearing("user b", [borne()]));
    expect(issued(tokens, "user a", [borne()], "p2")).not.toBe(issued(tokens));
  });
});
