/** A collection that nobody may read and that keys follow: `read: false` beside `realtime: true`. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";
import { insertSession, insertUser } from "../people.ts";
import { followingAll, opened } from "./wire/opened.ts";
import { closeIdle, type Headers } from "./wire/requests.ts";

let server: Started;
let writer: Headers;
let key: Headers;
beforeAll(async () => {
  const config = fileURLToPath(new URL("outbox", import.meta.url));
  server = await startRealm([await compileRealm(config, "mail")]);
  const { clock } = server;
  const store = server.store("mail");
  await insertUser(store, clock, "writer", { roles: [] });
  writer = { authorization: `Bearer ${await insertSession(store, clock, "writer", "session")}` };
  const scopes = { read: ["main/letters"] };
  key = {
    authorization: `Bearer ${await createKey(store, clock, { name: "sender", admin: false, scopes })}`,
  };
});
afterAll(async () => {
  closeIdle();
  await server.stop();
});

const follow = (headers: Headers) =>
  opened(`${server.url}/v1/mail/_realtime`, { headers, body: followingAll("letters") });

describe("a collection with realtime that no user may read", () => {
  test("a key is told of what users write", async () => {
    const stream = await follow(key);
    if ("status" in stream) throw new Error(`the key's stream was refused: ${stream.code}`);
    const created = await fetch(`${server.url}/v1/mail/main/letters`, {
      method: "POST",
      headers: { ...writer, "content-type": "application/json" },
      body: '{"to":"somebody"}',
    });
    expect(created.status).toBe(201);
    const told = await stream.first(({ event }) => event === "created");
    expect(told.data).toMatchObject({ doc: { to: "somebody" } });
    stream.cut();
  });

  test("users are refused", async () => {
    expect(await follow(writer)).toMatchObject({ status: 403 });
  });
});
