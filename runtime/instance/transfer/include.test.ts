import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../auth/command-keys.ts";
import { totpCode } from "../../auth/testing/factor.ts";
import { type JsonObject, objectIn } from "../../json.ts";
import {
  type EmbeddedPlace,
  embeddedPlace,
  type ProcessPlace,
  processPlace,
} from "../../store/testing/stores.ts";
import { heldClock, startRealm } from "../testing/servers.ts";
import { asker, peopleModule, textAt, verified } from "./testing/people.ts";
import { commandOf, filesIn, passingFolder } from "./testing/shop.ts";

const password = "correct horse";
const svcKey = Buffer.alloc(32, 9);

/** What a server has made, and what nobody may find in an export of it. */
interface Filled {
  readonly ann: string;
  readonly bob: string;
  readonly org: string;
  readonly team: string;
  readonly admin: string;
  readonly service: string;
  readonly secrets: readonly string[];
}

let from: EmbeddedPlace;
let to: ProcessPlace;
let folder: ReturnType<typeof passingFolder>;
let filled: Filled;
const clock = heldClock();

beforeAll(async () => {
  [from, to, folder] = [embeddedPlace(), processPlace(), passingFolder()];
  filled = await fill();
  const ended = await command(
    "export",
    from,
    "--to",
    all,
    "--include",
    "organizations, keys,users",
    "--meta",
  );
  expect(ended).toMatchObject({ code: 0 });
});
afterAll(async () => {
  folder.discard();
  for (const place of [from, to]) await place.discard();
});

/** The folder with everything. */
let all: string;

function command(name: string, { setting }: Pick<ProcessPlace, "setting">, ...words: readonly string[]) {
  return commandOf([peopleModule(to.realm)], [name, "--store", setting, ...words]);
}

async function serve<T>(
  place: Pick<ProcessPlace, "location">,
  work: (ask: ReturnType<typeof asker>, server: Awaited<ReturnType<typeof startRealm>>) => Promise<T>,
): Promise<T> {
  const data = folder.path;
  const settings = { store: place.location, keys: [svcKey], data: join(data, "data") };
  const server = await startRealm(peopleModule(to.realm), { clock, settings });
  try {
    return await work(asker(server, to.realm), server);
  } finally {
    await server.stop();
  }
}

async function fill(): Promise<Filled> {
  all = join(folder.path, "all");
  return serve(from, async (asked, server) => {
    const ask: typeof asked = async (...words) => {
      const answer = await asked(...words);
      if (answer.status >= 300) throw new Error(`${words.join(" ")}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const signUp = async (email: string) => {
      const answer = await ask(undefined, "POST", "_auth/signup", {
        ...{ email, password, profile: { city: "Bern" }, locale: "de-CH" },
      });
      return { id: textAt(answer, "user", "id"), token: textAt(answer, "session", "token") };
    };
    const [ann, bob] = [await signUp("Ann@example.com"), await signUp("bob@example.com")];
    await verified(server, to.realm, ann.id);
    const admin = await createKey(server.store(to.realm), clock, { name: "admin", admin: true });
    await ask(admin, "PUT", `_admin/secrets/stripe`, { value: "sk_live_hidden" });
    await ask(admin, "PATCH", `_admin/users/${ann.id}`, { roles: ["reader"] }, merge);

    const org = textAt(await ask(ann.token, "POST", "_orgs", { name: "Acme" }), "id");
    const team = textAt(await ask(ann.token, "POST", `_orgs/${org}/teams`, { name: "Desk" }), "id");
    await ask(ann.token, "PUT", `_orgs/${org}/teams/${team}/members/${ann.id}`);
    await ask(admin, "PUT", `_admin/orgs/${org}/members/${bob.id}`, { roles: ["clerk"] });
    const key = { name: "robot", org, roles: ["member"] };
    const service = textAt(await ask(admin, "POST", "_admin/keys", key), "key");
    const ticket = await ask(ann.token, "POST", `main/tickets?org=${org}&team=${team}`, { title: "Fire" });
    expect(ticket).toMatchObject({ status: 201 });
    await ask(bob.token, "POST", "main/notes", { title: "Mine" });

    const proof = textAt(await ask(ann.token, "POST", "_auth/reauth", { password }), "proof");
    const enrolled = await ask(ann.token, "POST", "_auth/mfa/totp", undefined, { "x-svc-reauth": proof });
    const secret = textAt(enrolled, "secret");
    const code = totpCode(secret, clock.now());
    const { body } = await ask(ann.token, "POST", "_auth/mfa/totp/confirm", { code });
    const { recovery_codes: codes } = body;
    const recovery = Array.isArray(codes) ? codes.map(String) : [];
    expect(recovery.length).toBeGreaterThan(5);
    const keysFile = [svcKey.toString("base64"), svcKey.toString("base64url"), svcKey.toString("hex")];
    const secrets = [
      ann.token,
      bob.token,
      proof,
      admin,
      service,
      secret,
      ...recovery,
      ...keysFile,
      "sk_live_hidden",
    ];
    return { ann: ann.id, bob: bob.id, org, team, admin, service, secrets };
  });
}

const merge = { "content-type": "application/merge-patch+json" };
const lines = (path: string): readonly JsonObject[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => objectIn(line) ?? {});

describe("export --include", () => {
  it("writes users, keys, organizations and members as files of their own, and lists them", () => {
    const files = filesIn(all);
    const { realm } = to;
    expect(Object.keys(files)).toEqual(
      ["_keys", "_members", "_organizations", "_users", "main/notes", "main/tickets"]
        .map((path) => `${realm}/${path}.ndjson`)
        .toSpliced(0, 0, "export.json"),
    );
    const { files: listed } = objectIn(files["export.json"] ?? "") ?? {};
    expect(listed).toMatchObject([
      { path: `${realm}/_users.ndjson`, realm, collection: "_users", documents: 2 },
      { collection: "_organizations", documents: 1 },
      { collection: "_keys", documents: 2 },
      { collection: "_members", documents: 3 },
      { collection: "main/notes", documents: 1 },
      { collection: "main/tickets", documents: 1 },
    ]);
  });

  it("has of users what is listed, and nothing else", () => {
    const ann = lines(join(all, to.realm, "_users.ndjson")).find(({ id }) => id === filled.ann);
    expect(ann).toEqual({
      id: filled.ann,
      email: "Ann@example.com",
      email_verified: true,
      password: expect.stringMatching(/^\$argon2id\$/),
      roles: ["reader"],
      disabled: false,
      locale: "de-CH",
      profile: { city: "Bern" },
      created_at: "2026-01-01T00:00:00.000Z",
    });
  });

  it("has no secret: no token of a session, second factor, recovery code, key, or what servers seal with", () => {
    const text = Object.values(filesIn(all)).join("\n");
    expect(filled.secrets.length).toBeGreaterThan(10);
    expect(filled.secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/totp|recovery|generation|token_?hash|sealed/);
  });

  it("without it nothing of the service is exported", async () => {
    const plain = join(folder.path, "plain");
    expect((await command("export", from, "--to", plain)).code).toBe(0);
    expect(Object.keys(filesIn(plain)).filter((path) => path.includes("/_"))).toEqual([]);
  });

  it.each([
    [["--to", "x", "--include", "user"], "did you mean 'users'?"],
    [["--to", "x", "--include", "users,,keys"], "--include takes users, keys, organizations, files"],
    [["--to", "-", "--include", "users", "--collection", "main/notes"], "--include is for a folder"],
    [["--to", "x.ndjson", "--include", "users", "--collection", "main/notes"], "--include is for a folder"],
  ])("a wrong command line is 2: %j", async (words, reason) => {
    const ended = await command("export", from, ...words);
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining(reason)]);
  });

  it.each([
    ["export", "--to"],
    ["import", "--from"],
  ])(
    "a server neither hands out hashes nor takes them: with --url, %s refuses it, 2",
    async (name, folder) => {
      const words = [name, "--url", "http://127.0.0.1:1", folder, "x", "--include", "keys"];
      const ended = await commandOf([peopleModule(to.realm)], words, { REALMC_KEY: filled.admin });
      expect([ended.code, ended.err]).toEqual([
        2,
        expect.stringContaining("--include goes with --store alone"),
      ]);
    },
  );
});

describe("import --include", () => {
  const imported = (...words: readonly string[]) => command("import", to, "--from", all, "--meta", ...words);

  it("says what is in the folder and not asked for; documents of organizations that are not there are rejected", async () => {
    const ended = await imported();
    expect(ended.code).toBe(1);
    for (const [path, asked] of [
      ["_users", "users"],
      ["_keys", "keys"],
      ["_members", "organizations"],
    ])
      expect(ended.err).toContain(`${to.realm} ${path}: is left out; --include ${asked} imports it`);
    expect(ended.out).toContain(`${to.realm} main/tickets: 0 created, 0 replaced, 1 rejected`);
  });

  it("members whose users are not there are rejected by line", async () => {
    const rejects = join(folder.path, "rejects");
    const ended = await imported("--include", "organizations", "--rejects", rejects);
    expect(ended.code).toBe(1);
    expect(ended.out).toContain(`${to.realm} _organizations: 1 created`);
    expect(ended.out).toContain(`${to.realm} _members: 0 created, 0 replaced, 3 rejected`);
    const errors = lines(rejects).filter(({ collection }) => collection === "_members");
    expect(errors.map(({ error }) => error)).toEqual([
      expect.stringMatching(/^there is no (?:user|key) /),
      expect.stringMatching(/^there is no (?:user|key) /),
      expect.stringMatching(/^there is no (?:user|key) /),
    ]);
  });

  it("everything comes: in users sign in, keys are good, members see documents of their organization", async () => {
    const ended = await imported("--include", "users,keys,organizations", "--mode", "replace");
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.out.split("\n").slice(0, -1)).toEqual([
      `${to.realm} _users: 2 created, 0 replaced, 0 rejected`,
      `${to.realm} _organizations: 0 created, 1 replaced, 0 rejected`,
      `${to.realm} _keys: 2 created, 0 replaced, 0 rejected`,
      `${to.realm} _members: 3 created, 0 replaced, 0 rejected`,
      `${to.realm} main/notes: 0 created, 1 replaced, 0 rejected`,
      `${to.realm} main/tickets: 0 created, 1 replaced, 0 rejected`,
    ]);
    await serve(to, async (ask) => {
      const login = await ask(undefined, "POST", "_auth/login", { email: "ann@example.com", password });
      expect(login).toMatchObject({
        status: 200,
        body: { user: { id: filled.ann, roles: ["reader"], mfa: false } },
      });
      const token = textAt(login, "session", "token");
      const seen = await ask(token, "GET", "main/tickets");
      expect(seen.body["items"]).toMatchObject([
        { title: "Fire", _meta: { org: filled.org, team: filled.team } },
      ]);
      expect((await ask(filled.admin, "GET", "_admin/users")).body["items"]).toHaveLength(2);
      expect((await ask(filled.service, "GET", "main/tickets")).body["items"]).toHaveLength(1);
      expect((await ask(filled.secrets[0], "GET", "_auth/me")).status).toBe(401);
      const audit = await ask(filled.admin, "GET", "_admin/audit?action=user.import");
      expect(audit.body["items"]).toMatchObject([
        { actor: "command-line", target: `realm:${to.realm}`, details: { created: 2, replaced: 0 } },
      ]);
    });
  });

  it("once more: create rejects what is there by its line, replace ends the sessions of whom it replaces", async () => {
    const again = await imported("--include", "users,keys,organizations");
    expect(again.code).toBe(1);
    expect(again.out).toContain(`${to.realm} _users: 0 created, 0 replaced, 2 rejected`);
    expect(again.err).toContain(": a user with this id exists");
    const token = await serve(to, async (ask) =>
      textAt(
        await ask(undefined, "POST", "_auth/login", { email: "bob@example.com", password }),
        "session",
        "token",
      ),
    );
    expect((await imported("--include", "users", "--mode", "replace")).code).toBe(0);
    await serve(to, async (ask) => expect((await ask(token, "GET", "_auth/me")).status).toBe(401));
  });

  it("merge changes what a line names, and leaves the rest; what is none of their members is rejected", async () => {
    const path = join(folder.path, "some", to.realm, "_users.ndjson");
    mkdirSync(join(folder.path, "some", to.realm), { recursive: true });
    const users: readonly JsonObject[] = [
      { id: filled.bob, roles: ["boss"] },
      { id: filled.ann, roles: ["king"] },
      { id: filled.ann.replace(/.$/, (last) => (last === "0" ? "1" : "0")), email: "BOB@example.com" },
      { email: "eve@example.com", totp: { secret: "x" } },
      { email: "eve", password: "plain", profile: 1, created_at: "today" },
      {
        email: "eve@example.com",
        password: "$argon2id$v=19$m=9999999,t=3,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g",
      },
      { email: "eve@example.com" },
    ];
    writeFileSync(path, users.map((user) => `${JSON.stringify(user)}\n`).join(""));
    appendFileSync(path, "{\n");
    const rejects = join(folder.path, "some-rejects");
    const words = ["--include", "users", "--mode", "merge", "--rejects", rejects];
    const ended = await command("import", to, "--from", join(folder.path, "some"), ...words);
    expect(ended.out).toBe(`${to.realm} _users: 1 created, 1 replaced, 6 rejected\n`);
    expect(lines(rejects).map(({ line, error }) => [line, error])).toEqual([
      [2, `roles names "king", and roles are 'boss' or 'reader'`],
      [3, "email: another account has this address"],
      [4, "totp is not allowed"],
      [
        5,
        "email must be an e-mail address; password must be an argon2id hash ($argon2id$v=19$m=…,t=…,p=…$…), or null for a user who is to choose one; profile must be an object; created_at must be a time in UTC such as 2026-01-31T08:00:00.000Z",
      ],
      [6, "password must take no more than m=1048576,t=16,p=16"],
      [8, expect.stringContaining("is no JSON object")],
    ]);
    await serve(to, async (ask) => {
      const login = await ask(undefined, "POST", "_auth/login", { email: "bob@example.com", password });
      expect(login).toMatchObject({
        status: 200,
        body: { user: { roles: ["boss"], profile: { city: "Bern" } } },
      });
    });
  });

  it.each([
    [["--include", "organisations"], "did you mean 'organizations'?"],
    [
      ["--include", "users", "--collection", "main/notes", "--from", "none.ndjson"],
      "--include is for a folder",
    ],
    [["--include", "users", "--from", "PLAIN"], "--include users: there is no file <realm>/_users.ndjson"],
  ])("a wrong command line is 2: %j", async (words, reason) => {
    const named = words.map((word) => (word === "PLAIN" ? join(folder.path, "plain") : word));
    const ended = await command("import", to, "--from", all, ...named);
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining(reason)]);
  });
});
