import { expect, it } from "vitest";
import { readKey } from "./key-records.ts";
import { readSession, readUser } from "./records.ts";

const stored = (members: object) => ({ id: "1", version: 3, text: JSON.stringify({ id: "1", ...members }) });

it("a user stored before there were second factors has none", () => {
  expect(readUser(stored({ email: "ada@example.com" }))).toEqual({
    record: { id: "1", email: "ada@example.com", totp: null, totp_pending: null },
    version: 3,
  });
});

it("a session stored before there were proofs was proved when it began", () => {
  const at = "2026-01-01T00:00:00.000Z";
  expect(readSession(stored({ created_at: at })).record).toEqual({
    id: "1",
    created_at: at,
    mfa: false,
    proved_at: at,
    administered_at: at,
  });
});

it("a key stored before keys acted for users does not, and is nobody's", () => {
  expect(readKey(stored({ name: "old" })).record).toEqual({
    id: "1",
    name: "old",
    on_behalf_of: false,
    binding: null,
    start: null,
    created_by: null,
    remind_at: null,
  });
});

it("what is stored counts", () => {
  expect(readKey(stored({ name: "new", on_behalf_of: true })).record.on_behalf_of).toBe(true);
  expect(readSession(stored({ created_at: "a", proved_at: "b", mfa: true })).record).toMatchObject({
    proved_at: "b",
    administered_at: "a",
    mfa: true,
  });
});
