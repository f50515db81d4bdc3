/** What members see of each other's profiles, on a compiled realm: each answer is held against its OpenAPI document. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { compileRealm } from "../compiled.ts";

let server: Started;
beforeAll(async () => {
  const config = fileURLToPath(new URL("shown", import.meta.url));
  server = await startRealm([await compileRealm(config, "club")]);
});
afterAll(() => server.stop());

async function send(method: string, path: string, body?: JsonObject, token = "") {
  const headers = {
    ...(body && { "Content-Type": "application/json" }),
    ...(token !== "" && { Authorization: `Bearer ${token}` }),
  };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}/v1/club${path}`, sent);
  expect(response.status, `${method} ${path}`).toBeLessThan(300);
  return JSON.parse((await response.text()) || "null");
}

async function signUp(name: string, profile: JsonObject | null) {
  const body = { email: `${name}@example.com`, password: "correct horse", profile };
  const { user, session } = await send("POST", "/_auth/signup", body);
  return { id: String(user.id), token: String(session.token) };
}

test("members_show: members see what it names of each other's profiles, in every answer about a member", async () => {
  const ada = await signUp("ada", { name: "Ada", born: "1815-12-10", address: { city: "London" } });
  const bob = await signUp("bob", { name: "Bob" });
  const cat = await signUp("cat", null);
  const org = await send("POST", "/_orgs", { name: "Club" }, ada.token);
  for (const person of [bob, cat]) {
    const invited = await send("POST", `/_orgs/${org.id}/invitations`, { user: person.id }, ada.token);
    await send("POST", "/_orgs/invitations/accept", { token: invited.token }, person.token);
  }
  const profiles = async () => {
    const { items } = await send("GET", `/_orgs/${org.id}/members`, undefined, bob.token);
    return Object.fromEntries(
      items.map(({ user, profile, email }: JsonObject) => [user, email === undefined ? profile : email]),
    );
  };
  expect(await profiles()).toEqual({
    [ada.id]: { name: "Ada", address: { city: "London" } },
    [bob.id]: { name: "Bob" },
    [cat.id]: {},
  });

  await send("PATCH", "/_auth/me", { profile: { name: "Robert", born: "1990-01-01" } }, bob.token);
  expect((await profiles())[bob.id]).toEqual({ name: "Robert" });
  const given = await send("PATCH", `/_orgs/${org.id}/members/${bob.id}`, { roles: ["owner"] }, ada.token);
  expect(given.profile).toEqual({ name: "Robert" });
  const team = await send("POST", `/_orgs/${org.id}/teams`, { name: "Desk" }, ada.token);
  const path = `/_orgs/${org.id}/teams/${team.id}/members`;
  expect((await send("PUT", `${path}/${ada.id}`, undefined, ada.token)).profile).toEqual({
    name: "Ada",
    address: { city: "London" },
  });
  const inTeam = await send("GET", path, undefined, cat.token);
  expect(inTeam.items.map(({ profile }: JsonObject) => profile)).toEqual([
    { name: "Ada", address: { city: "London" } },
  ]);
});
