import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenRoutes } from "../auth/accounts/routes.ts";
import { collection, day, text } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { call, documents, type FunctionShop, output, startFunctionShop } from "./testing/shop.ts";

const rules = { create: allowed, read: allowed };
let shop: FunctionShop;
beforeAll(async () => {
  shop = await startFunctionShop(
    [call("who"), call("other"), call("note")],
    {
      who: ({ caller }) => output({ ...(caller && { ...caller }) }),
      other: () => output({}),
      note: async (run) =>
        output((await documents(run, "POST", "main/notes", { as: "caller", body: { title: "a" } })).json),
    },
    {
      collections: [collection("notes", { rules })],
      accounts: { tokens: { personal: true, maxLifetime: 30 * day } },
      routes: [tokenRoutes("shop")],
    },
  );
});
afterAll(() => shop.stop());

test("ctx.caller of a personal token is its user; what it does there is the user's, within the token's scopes", async () => {
  const { token, id } = await shop.signUp("ann@example.com");
  const reauth = await shop.send("POST", "../_auth/reauth", { token, body: { password: "correct horse" } });
  const headers = { "x-svc-reauth": text(reauth.body, "proof") };
  const make = async (name: string, scopes: { readonly [access: string]: string[] }) => {
    const made = await shop.send("POST", "../_auth/tokens", { token, headers, body: { name, scopes } });
    return text(made.body, "key");
  };
  const key = await make("caller", { call: ["main/who", "main/note"], write: ["main/notes"] });
  const run = (name: string, by = key) => shop.send("POST", `_func/${name}`, { token: by, body: {} });
  const who = await run("who");
  expect([who.status, who.body]).toMatchObject([200, { kind: "user", id }]);
  expect((await run("other")).status).toBe(403);
  const { body } = await run("note");
  const { _meta: meta } = body;
  expect(isJsonObject(meta) && meta).toMatchObject({ owner: id, created_by: `user:${id}` });
  const reads = await make("reader", { call: ["main/note"], read: ["main/notes"] });
  expect((await run("note", reads)).body).toMatchObject({ error: { code: "forbidden" } });
});
