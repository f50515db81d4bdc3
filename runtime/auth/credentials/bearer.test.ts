import { describe, expect, it } from "vitest";
import { heldClock } from "../../instance/testing/servers.ts";
import { minute } from "../testing/accounts.ts";
import { BearerReader } from "./bearer.ts";
import { newToken, tokenHash } from "./tokens.ts";

describe("BearerReader", () => {
  it("reads a token of any kind, whatever the case of the scheme and the spaces around it", () => {
    const reader = new BearerReader(heldClock());
    for (const kind of ["svs", "svk", "svi", "svp", "svt"] as const) {
      const token = newToken(kind);
      const read = { kind, hash: tokenHash(token) };
      for (const header of [`Bearer ${token}`, `bearer  ${token}  `, `BEARER ${token}`]) {
        expect(reader.read(header)).toEqual(read);
        expect(reader.read(header)).toEqual(read);
      }
    }
  });

  it("reads nothing else", () => {
    const reader = new BearerReader(heldClock());
    const token = newToken("svs");
    for (const header of [
      "",
      "Bearer",
      "Bearer ",
      token,
      `Basic ${token}`,
      `Bearer${token}`,
      `Bearer\t${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token}\u00a0`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token}x`,
      "Bearer svx_",
      "__proto__",
      `Bearer ${" ".repeat(30_000)}x`,
    ]) {
      expect(reader.read(header)).toBeUndefined();
    }
  });

  it("remembers what it read for a minute at most", () => {
    const clock = heldClock();
    const reader = new BearerReader(clock);
    const header = `Bearer ${newToken("svs")}`;
    const first = reader.read(header);
    clock.advance(minute - 1);
    expect(reader.read(header)).toBe(first);
    clock.advance(1);
    const second = reader.read(header);
    expect(second).not.toBe(first);
    expect(second).toEqual(first);
    clock.advance(-2 * minute);
    expect(reader.read(header)).not.toBe(second);
  });
});
