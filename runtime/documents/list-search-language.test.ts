import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { code, details, text } from "./testing/shop.ts";
import { type Asked, Texts } from "./testing/texts.ts";

let texts: Texts;
beforeAll(async () => {
  texts = await Texts.start();
});
afterAll(() => texts.stop());

describe("Full-text search 4: the language of the query", () => {
  const german = { "accept-language": "de-CH, en;q=0.8" };

  test("Full-text search 4: language, else Accept-Language of anonymous callers, else the index's default", async () => {
    expect(await texts.found("Häuser")).toEqual([]);
    for (const language of ["de", "de-AT", "de_CH"]) {
      expect(await texts.found("Häuser", { more: `&language=${language}` })).toEqual([3]);
    }
    expect(await texts.found("Häuser", { headers: german })).toEqual([3]);
    expect(await texts.found("Häuser", { headers: { "accept-language": "en, de" } })).toEqual([]);
    expect(await texts.found("Häuser", { headers: german, more: "&language=en" })).toEqual([]);
    // Without stemming: what both languages leave as it is.
    expect(await texts.found("fox", { more: "&language=tlh" })).toEqual([4]);
    for (const header of ["", "*", ",", "*;q=0.5", "!", "x".repeat(200), ";q=1"]) {
      expect(await texts.found("running", { headers: { "accept-language": header } })).toEqual([1, 2]);
    }
  });

  test.each([
    ["en;q=0.5, de", true],
    ["en ; q=0.2,\tde;q=0.30", true],
    ["*, de;q=0.1", true],
    ["en;q=0, de;Q=0.001", true],
    ["de_AT", true],
    ["en;q=1.0, de", false],
    ["de;q=0.8, en;q=0.9", false],
    ["de;q=0", false],
    ["de;q=2", false],
    [`${"!,".repeat(50)}de`, false],
  ])(
    "Full-text search 4: the first language of Accept-Language is the one of the highest quality: %s",
    async (header, isGerman) => {
      const headers = { "accept-language": header };
      expect(await texts.found("Häuser", { headers })).toEqual(isGerman ? [3] : []);
    },
  );

  test("Full-text search 4: a signed-in user's locale; keys and users without one get the default", async () => {
    const signUp = async (email: string, locale: string | null) => {
      const body = { email, password: "correct horse", ...(locale !== null && { locale }) };
      return text((await texts.locked.send("POST", "../_auth/signup", { body })).body, "session", "token");
    };
    const [de, none] = [await signUp("de@example.com", "de-CH"), await signUp("no@example.com", null)];
    expect(await texts.found("Häuser", { token: de }, texts.locked)).toEqual([3]);
    expect(
      await texts.found("Häuser", { token: de, headers: { "accept-language": "en" } }, texts.locked),
    ).toEqual([3]);
    expect(await texts.found("Häuser", { token: de, more: "&language=en" }, texts.locked)).toEqual([]);
    expect(await texts.found("Häuser", { token: none, headers: german }, texts.locked)).toEqual([]);
    expect(
      await texts.found("Häuser", { token: await texts.locked.key(), headers: german }, texts.locked),
    ).toEqual([]);
    expect(await texts.found("Häuser", { headers: german }, texts.locked)).toEqual([3]);
  });

  test.each(["", "e", "none", "english!", "de-", "x".repeat(300)])(
    "Full-text search 4: language=%s is no locale code: 400 invalid_query",
    async (language) => {
      const answer = await texts.list("texts", { where: { $search: "fox" }, more: `&language=${language}` });
      expect([answer.status, code(answer), details(answer)]).toEqual([
        400,
        "invalid_query",
        [{ path: "language", reason: "must be a locale code such as en or de-CH" }],
      ]);
    },
  );

  test("Full-text search 4: where Accept-Language has a say, answers vary by it, 304 and public ones too", async () => {
    const vary = async (asked: Asked, server = texts.shop) =>
      (await texts.list("texts", asked, server)).headers.get("vary");
    const where = { $search: "fox" };
    expect(await vary({ where, headers: german })).toBe("Origin, Authorization, Accept-Language");
    expect(await vary({ where })).toBe("Origin, Authorization, Accept-Language");
    expect(await vary({ where, more: "&language=de", headers: german })).toBe("Origin, Authorization");
    expect(await vary({ where: {}, headers: german })).toBe("Origin, Authorization");
    const token = await texts.locked.key({ name: "another robot" });
    expect(await vary({ where, token }, texts.locked)).toBe("Origin, Authorization, Cookie");
    const page = await texts.list("shown", { where, headers: german }, texts.locked);
    const again = await texts.list(
      "shown",
      { where, headers: { ...german, "if-none-match": page.tag ?? "" } },
      texts.locked,
    );
    expect([page.status, again.status]).toEqual([200, 304]);
    for (const { headers } of [page, again]) {
      expect(headers.get("vary")).toBe("Origin, Authorization, Cookie, Accept-Language");
      expect(headers.get("cache-control")).toBe("public, max-age=60");
    }
  });
});
