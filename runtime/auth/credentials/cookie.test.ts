import { describe, expect, it } from "vitest";
import { endedCookie, readCookie, sessionCookie } from "./cookie.ts";

describe("Session cookies", () => {
  it.each([
    ["svc_session_shop=t", "t"],
    ["a=1; svc_session_shop=t; b=2", "t"],
    ["svc_session_shop_=x; svc_session_shop=t", "t"],
    ["svc_session_shop=first; svc_session_shop=second", "first"],
    ["svc_session_shop=", ""],
    ["svc_session_shop", undefined],
    ["xsvc_session_shop=t", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("are found by their exact name: %j", (header, value) => {
    expect(readCookie(header, "svc_session_shop")).toBe(value);
  });

  it("are HttpOnly, Secure, SameSite and limited to the realm", () => {
    expect(sessionCookie("shop", { sameSite: "lax" }, "svs_x", 60_000)).toBe(
      "svc_session_shop=svs_x; Path=/v1/shop; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
    );
  });

  it("end with the same attributes", () => {
    expect(endedCookie("shop", { sameSite: "none" })).toBe(
      "svc_session_shop=; Path=/v1/shop; Max-Age=0; HttpOnly; Secure; SameSite=None",
    );
  });
});
