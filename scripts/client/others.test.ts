/** Of the other examples what the helpdesk has not: reading without an account, ids of one's own, a realm without accounts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient as blogClient, isApiError } from "../../generated/blog/client.ts";
import { blog } from "../../generated/blog/realm.ts";
import { createClient as inventoryClient } from "../../generated/inventory/client.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";

let server: Started<HeldClock>;
beforeAll(async () => {
  server = await startRealm([blog, inventory]);
});
afterAll(() => server.stop());

describe("blog", () => {
  it("is written with a key and read without", async () => {
    const token = await createKey(server.store("blog"), server.clock, { name: "operator", admin: true });
    const { content, $admin } = blogClient({ baseUrl: server.url, token });
    await content.$batch([
      { op: "create", collection: "authors", id: "ada", document: { name: "Ada Lovelace" } },
      { op: "create", collection: "tags", id: "maths", document: { name: "Mathematics" } },
    ]);
    const post = {
      id: "note-g",
      title: "Note G",
      author_id: "ada",
      tag_ids: ["maths", "none"],
      published: true,
    };
    await content.posts.create(post);
    const refused = content.posts.create(post).catch((error: unknown) => isApiError(error, "id_taken"));
    expect(await refused).toBe(true);

    const reader = blogClient({ baseUrl: server.url });
    const read = await reader.content.posts.get("note-g", { expand: ["author(name)", "tags"] });
    expect(read._expanded).toMatchObject({
      author: { name: "Ada Lovelace" },
      tags: [{ name: "Mathematics" }, null],
    });
    const comment = await reader.content.comments.create({
      post_id: "note-g",
      name: "Reader",
      text: "Lovely",
    });
    expect(comment._meta).toMatchObject({ owner: null, created_by: "anonymous" });

    const { token: invitation } = await $admin.createInvitation({ roles: ["author"] });
    const { user } = await reader.$auth.signUp({
      email: "m@example.com",
      password: "correct horse",
      invitation,
    });
    expect(user.roles).toEqual(["author"]);
  });

  it("is read on without an account where the session has ended, or the account is gone", async () => {
    const token = await createKey(server.store("blog"), server.clock, { name: "people", admin: true });
    const account = { email: "gone@example.com", password: "correct horse" };
    await blogClient({ baseUrl: server.url, token }).$admin.createUser(account);
    const [one, other] = [blogClient({ baseUrl: server.url }), blogClient({ baseUrl: server.url })];
    await one.$auth.logIn(account);
    await other.$auth.logIn(account);
    await other.$auth.endOtherSessions();
    const refused = { code: "unauthenticated" };
    await expect(one.content.tags.list()).rejects.toMatchObject(refused);
    await expect(one.$auth.logOut()).rejects.toMatchObject(refused);
    const { proof } = await other.$auth.reauthenticate({ password: account.password });
    await other.$auth.deleteMe({ proof });
    for (const { content } of [one, other]) expect(await content.tags.count()).toBeGreaterThanOrEqual(0);
  });
});

describe("inventory", () => {
  it("needs no credentials, and sends no keys", async () => {
    const { stock } = inventoryClient({ baseUrl: server.url });
    const [item, place] = await stock.$batch([
      { op: "create", collection: "items", document: { sku: "BOLT-M8", name: "Bolt", unit: "piece" } },
      { op: "create", collection: "locations", document: { warehouse: "east", aisle: 1, bin: 2 } },
    ]);
    for (const quantity of [10, -3])
      await stock.movements.create({
        item_id: item.id,
        location_id: place.id,
        quantity,
        moved_at: "2026-01-02T10:00:00+01:00",
      });
    const { groups } = await stock.movements.aggregate({
      group_by: ["item_id", "moved_at:day"],
      metrics: ["sum:quantity"],
      tz: "Europe/Berlin",
    });
    const day = "2026-01-02T00:00:00.000+01:00";
    expect(groups).toEqual([{ key: { item_id: item.id, moved_at: day }, "sum:quantity": 7 }]);
    const again = stock.items.create({ sku: "BOLT-M8", name: "Bolt", unit: "piece" });
    await expect(again).rejects.toMatchObject({ code: "conflict", details: [{ path: "sku" }] });
  });
});
