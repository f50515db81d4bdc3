/** Links to files are for one realm, one key and one content: nobody moves, forges or prolongs them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { compileTenants } from "../organizations/model/tenants.ts";
import { compileFort } from "./compiled.ts";
import { send } from "./send.ts";

const realms = [await compileFort(), await compileTenants()];

let server: Started<HeldClock>;
let foreign: Started<HeldClock>;
beforeAll(async () => {
  server = await startRealm(realms);
  foreign = await startRealm(realms, { settings: { keys: [Buffer.alloc(32, 8)] } });
});
afterAll(() => Promise.all([server.stop(), foreign.stop()]));

/** What a link ends with, of a new file on a server. */
async function signed({ url, store, clock }: Started<HeldClock>): Promise<string> {
  const token = await createKey(store("fort"), clock, { name: "linker", admin: true, replace: true });
  const { body: made } = await send("POST", `${url}/v1/fort/main/papers`, {
    token,
    body: { title: "A paper" },
  });
  const paper = `${url}/v1/fort/main/papers/${made["id"]}`;
  await send("POST", `${paper}/_files/secret`, { token, body: { written: "in a file" } });
  const { secret } = (await send("GET", `${paper}?file_links=true`, { token })).body;
  return isJsonObject(secret) ? String(secret["url"]).slice("/v1/fort/_files/".length) : "";
}

const opened = async (realm: string, link: string) =>
  (await send("GET", `${server.url}/v1/${realm}/_files/${link}`)).outcome;

it("one leads to its file, whoever asks", async () => {
  expect(await opened("fort", await signed(server))).toBe("200");
});

it("one of another realm is none", async () => {
  expect(await opened("tenants", await signed(server))).toBe("403 invalid_file_link");
});

it("one that another key signed is none", async () => {
  expect(await opened("fort", await signed(foreign))).toBe("403 invalid_file_link");
});

it("a credential makes no difference: a session's, an administrator's key, or one that is unknown", async () => {
  const link = await signed(server);
  const key = await createKey(server.store("fort"), server.clock, { name: "asker", admin: true });
  for (const token of [key, `svs_${"a".repeat(43)}`]) {
    const asked = (text: string) => send("GET", `${server.url}/v1/fort/_files/${text}`, { token });
    expect((await asked(link)).outcome).toBe("200");
    expect((await asked(`${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`)).status).toBe(403);
  }
});
