import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenRoutes } from "../auth/accounts/routes.ts";
import { collection, day, text } from "../documents/testing/shop.ts";
import { allowed } from "../rules/index.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const rules = { create: allowed, read: allowed, update: allowed };
const papers = collection("papers", { files: [fileField("scan", { upload: "resumable" })], rules });

let vault: Vault;
beforeAll(async () => {
  const accounts = { tokens: { personal: true, maxLifetime: 30 * day } };
  vault = await startVault("enabled", [papers], {}, { accounts, routes: [tokenRoutes("shop")] });
});
afterAll(() => vault.stop());

async function somebody(email: string) {
  const { token } = await vault.signUp(email);
  const reauth = await vault.send("POST", "../_auth/reauth", { token, body: { password: "correct horse" } });
  const headers = { "x-svc-reauth": text(reauth.body, "proof") };
  const make = async (name: string, scopes: { readonly [access: string]: string }) => {
    const made = await vault.send("POST", "../_auth/tokens", { token, headers, body: { name, scopes } });
    return text(made.body, "key");
  };
  return { token, writer: await make("writer", { write: "*" }), reader: await make("reader", { read: "*" }) };
}

test("an upload that a session has begun is finished by a token of the same user that may write, and by no other's", async () => {
  const [ann, bob] = [await somebody("ann@example.com"), await somebody("bob@example.com")];
  const id = await vault.made("papers", {}, "", ann.token);
  const tus = { "tus-resumable": "1.0.0" };
  const begun = await vault.bring("POST", `papers/${id}/_files/scan/_tus`, {
    headers: { ...tus, "upload-length": "10" },
    token: ann.token,
  });
  const at = begun.headers.get("location") ?? "";
  const add = (token: string, offset: number) =>
    vault.bring("PATCH", at, {
      bytes: randomBytes(5),
      headers: { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
      token,
    });
  expect([begun.status, (await add(ann.token, 0)).status]).toEqual([201, 204]);
  expect([(await add(bob.writer, 5)).status, (await add(bob.token, 5)).status]).toEqual([404, 404]);
  expect((await add(ann.reader, 5)).status).toBe(403);
  expect((await add(ann.writer, 5)).status).toBe(204);
  const { body } = await vault.send("GET", `papers/${id}`, { token: ann.token });
  expect(body["scan"]).toMatchObject({ size: 10 });
});
