import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchangeBytes, open, parseResponse, untilClosed } from "../http/testing/server.ts";
import type { JsonObject } from "../json.ts";
import type { WriteRule } from "../realm/rule.ts";
import { code, collection, paths, type Shop, startShop, text } from "./testing/shop.ts";

const never: WriteRule = { possible: () => false, check: () => false };
const signedIn: WriteRule = { possible: ({ user }) => user !== undefined, check: () => true };
const closed = collection("closed", { rules: { create: never, update: never, delete: never } });
const members = collection("members", { rules: { create: signedIn, update: signedIn, delete: signedIn } });
const named = collection("named", { rules: { create: never }, customId: { duplicateLimit: 20 } });

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("enabled", [closed, members, named]);
});
afterAll(() => shop.stop());

const long = JSON.stringify({ title: "x".repeat(100_000) });
const batch = (text: string) =>
  `{"operations":[{"op":"create","collection":"members","document":{"title":"x"}}]${text}}`;

/** A request whose body is begun and not ended. */
async function unfinished(method: string, path: string, ...lines: readonly string[]) {
  const head = [`${method} /v1/shop/${path} HTTP/1.1`, "Host: x", "Content-Length: 900000", ...lines];
  const socket = await open(Number(new URL(shop.url).port));
  socket.write(`${head.join("\r\n")}\r\n\r\n{`);
  const text = await new Promise<string>((resolve) => {
    socket.once("data", (bytes: Buffer) => resolve(String(bytes)));
  });
  socket.destroy();
  return parseResponse(text).status;
}

describe("Order of checks: who may not write is refused before the body is there", () => {
  const json = "Content-Type: application/json";

  it.each([
    ["PUT", "main/members/x", 401],
    ["PATCH", "main/members/x", 401],
    ["POST", "main/members", 401],
    ["POST", "main/_batch", 401],
    ["POST", "_admin/data/main/members", 401],
    ["PATCH", "_auth/me", 401],
  ])("%s %s without a credential: %s", async (method, path, status) => {
    expect(await unfinished(method, path, json)).toBe(status);
    expect(await unfinished(method, path, json, "Authorization: Bearer svs_none")).toBe(status);
  });

  it("403 for a constantly false rule", async () => {
    const { token } = await shop.signUp("refused@example.com");
    const bearer = `Authorization: Bearer ${token}`;
    for (const [method, path] of [
      ["POST", "main/closed"],
      ["PUT", "main/closed/x"],
      ["PATCH", "main/closed/x"],
    ] as const) {
      expect(await unfinished(method, path, json, bearer), path).toBe(403);
    }
  });
});

describe("Order of checks: what is wrong with a small body of a refused create is told first", () => {
  it("body, then custom id, then the constantly false rule; a body over 64 KiB is refused unread", async () => {
    const create = (path: string, text: string) => shop.send("POST", path, { text });
    expect(code(await create("named", "{"))).toBe("invalid_json");
    expect(code(await create("named", '{"title":"x"}'))).toBe("id_required");
    expect(code(await create("named", '{"id":"a","title":"x"}'))).toBe("unauthenticated");
    expect(code(await create("members", `${long} `))).toBe("unauthenticated");
    expect(code(await create("members", "x".repeat(70_000)))).toBe("unauthenticated");
    expect(code(await create("members", "x".repeat(2_000_000)))).toBe("payload_too_large");
  });

  it("a batch of which no operation could be allowed likewise", async () => {
    const send = (sent: string) => shop.send("POST", "_batch", { text: sent });
    expect(code(await send("{"))).toBe("invalid_json");
    expect(code(await send(batch(',"x":1')))).toBe("validation_error");
    expect(code(await send(batch("")))).toBe("unauthenticated");
    expect(code(await send(`${batch("")}${" ".repeat(70_000)}}`))).toBe("unauthenticated");
  });

  it("an answer that was given to an idempotency key is given again, whatever its caller may do now", async () => {
    const { token } = await shop.signUp("keyed@example.com");
    const headers = { "idempotency-key": "large" };
    const sent = { token, headers, text: `${JSON.stringify({ title: "x" })}${" ".repeat(70_000)}` };
    expect((await shop.send("POST", "members", sent)).status).toBe(201);
    expect((await shop.send("POST", "members", sent)).headers.get("idempotent-replayed")).toBe("true");
    expect(code(await shop.send("POST", "closed", sent))).toBe("forbidden");
  });
});

describe("Authentication 4: a session that ends while a body is on its way", () => {
  it.each([
    ["POST", "main/members", "application/json", '{"title":"late"}'],
    ["PATCH", "_auth/me", "application/json", '{"locale":"de"}'],
    ["POST", "_admin/data/main/members/_check", "application/json", '{"nobody":"asks"}'],
  ])("is none when the body is there: %s %s", async (method, path, type, text) => {
    const { token } = await shop.person(`late${path.length}@example.com`, "librarian");
    const socket = await open(Number(new URL(shop.url).port));
    const answer = untilClosed(socket);
    const lines = [
      `${method} /v1/shop/${path} HTTP/1.1`,
      "Host: x",
      "Connection: close",
      `Authorization: Bearer ${token}`,
      `Content-Type: ${type}`,
      `Content-Length: ${text.length}`,
      "Expect: 100-continue",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    // It is asked for its body: it is known who sends it.
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(text.slice(0, 5));
    expect((await shop.send("POST", "../_auth/logout", { token })).status).toBe(204);
    socket.write(text.slice(5));
    expect(await answer).toMatch(/HTTP\/1\.1 401 /);
  });
});

it("Common request rules 3: an unfinished body beyond MAX_BODY_BYTES is 413 by its length alone", async () => {
  const { token } = await shop.signUp("beyond@example.com");
  const head = `POST /v1/shop/main/members HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const answer = await exchangeBytes(
    Number(new URL(shop.url).port),
    `${head}Content-Length: 2000000\r\n\r\n${"x".repeat(2_000_000)}`,
  );
  expect(parseResponse(answer).status).toBe(413);
});

describe("Common request rules 2: a body of another type is 415, which says what was sent and what to send", () => {
  const object = "send a JSON object as application/json.";
  const form = "and forms are not taken here";

  it.each([
    ["multipart/form-data; boundary=x", `The Content-Type is multipart/form-data, ${form}; ${object}`],
    ["multipart/mixed", `The Content-Type is multipart/mixed, ${form}; ${object}`],
    [
      "application/x-www-form-urlencoded",
      `The Content-Type is application/x-www-form-urlencoded, ${form}; ${object}`,
    ],
    ["*/*", `The Content-Type is */*, which names no type; ${object}`],
    ["Text/Plain; charset=utf-8", `The Content-Type is text/plain; ${object}`],
    [
      "application/json; charset=latin1",
      `The Content-Type application/json has a parameter other than charset=utf-8; ${object}`,
    ],
    ["json", `The Content-Type is no media type; ${object}`],
    ["application/json, text/plain", `The Content-Type is no media type; ${object}`],
    ["", `The body has no Content-Type; ${object}`],
    [undefined, `The body has no Content-Type; ${object}`],
  ])("%j", async (type, message) => {
    const { token } = await shop.signUp(`type-${String(type).replaceAll(/\W/g, "-")}@example.com`);
    const lines = [
      "POST /v1/shop/main/members HTTP/1.1",
      "Host: x",
      "Connection: close",
      "Content-Length: 2",
      `Authorization: Bearer ${token}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ];
    const bytes = await exchangeBytes(Number(new URL(shop.url).port), `${lines.join("\r\n")}\r\n\r\n{}`);
    const { status, body } = parseResponse(bytes);
    expect(status).toBe(415);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "unsupported_media_type", message } });
  });
});

describe("Common request rules 2: a PATCH of a document with another type", () => {
  const why =
    "send application/merge-patch+json, since a JSON Merge Patch (RFC 7396) is what is applied here: null removes a member, absent ones stay.";

  it.each([
    ["application/json", `The Content-Type is application/json; ${why}`],
    ["application/json-patch+json", `The Content-Type is application/json-patch+json; ${why}`],
  ])("%s is 415, which says why, and what to send", async (type, message) => {
    const { token } = await shop.signUp(`patch-${type.replaceAll(/\W/g, "-")}@example.com`);
    const { body } = await shop.send("POST", "members", { token, body: { title: "a" } });
    const answer = await shop.send("PATCH", `members/${text(body, "id")}`, {
      token,
      body: { title: "b" },
      headers: { "content-type": type },
    });
    expect([answer.status, code(answer)]).toEqual([415, "unsupported_media_type"]);
    expect(text(answer.body, "error", "message")).toBe(message);
  });
});

describe("Fine points: a stored document of over 16 MiB is 413 payload_too_large", () => {
  const mebibyte = 1024 ** 2;
  const notes = collection("notes");
  const large = { title: "x", extra: { text: "x".repeat(16 * mebibyte) } };
  let roomy: Shop;
  let path: string;
  beforeAll(async () => {
    roomy = await startShop("disabled", [notes], {
      settings: { maxBodyBytes: 40 * mebibyte, bodyMemory: 160 * mebibyte },
    });
    const half = { title: "half", extra: { half: "x".repeat(9 * mebibyte) } };
    const created = await roomy.send("POST", "notes", { body: half });
    expect(created.status).toBe(201);
    path = `notes/${text(created.body, "id")}`;
  });
  afterAll(() => roomy.stop());

  it.each([
    ["POST", () => "notes", large],
    ["PUT", () => path, large],
    ["PATCH", () => path, { extra: { more: "x".repeat(9 * mebibyte) } }],
  ])("%s", async (method, at, body) => {
    const answer = await roomy.send(method, at(), { body });
    expect([answer.status, code(answer)]).toEqual([413, "payload_too_large"]);
    expect((await roomy.send("GET", path)).tag).toBe('"1"');
  });

  it("in a batch with the operation's position, and nothing of it is applied", async () => {
    const create = (document: JsonObject) => ({ op: "create", collection: "notes", document });
    const answer = await roomy.send("POST", "_batch", {
      body: { operations: [create({ title: "small" }), create(large)] },
    });
    expect([answer.status, code(answer), paths(answer)]).toEqual([413, "payload_too_large", ["1"]]);
    expect((await roomy.send("GET", "notes?count=true&limit=1")).body["total"]).toBe(1);
  });
});
