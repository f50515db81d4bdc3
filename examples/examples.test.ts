import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blog } from "../generated/blog/realm.ts";
import { helpdesk } from "../generated/helpdesk/realm.ts";
import { inventory } from "../generated/inventory/realm.ts";
import { createKey } from "../runtime/auth/keys.ts";
import { type Started, startRealm } from "../runtime/instance/testing.ts";
import { hold, readConversation } from "./conversation.ts";

let server: Started;
beforeAll(async () => {
  server = await startRealm([blog, helpdesk, inventory]);
});
afterAll(() => server.stop());

describe.each(["blog", "helpdesk", "inventory"])("examples/%s/README.md", (realm) => {
  it("shows what the server answers", async () => {
    const turns = readConversation(readFileSync(new URL(`${realm}/README.md`, import.meta.url), "utf8"));
    expect(turns.length).toBeGreaterThan(5);
    const key = await createKey(server.store(realm), server.clock, {
      name: "operator",
      admin: true,
      scopes: undefined,
    });
    await hold(server.url, turns, { "admin-key": key });
  });
});
