/**
 * Only hashes of tokens are stored, and secrets only encrypted; nothing of either is logged. A server process at its most
 * talkative is given one of everything that is secret; then all that it stored and wrote is searched for each, in every
 * form.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newToken, tokenHash } from "../../runtime/auth/credentials/tokens.ts";
import { text, tokenIn } from "../../runtime/auth/testing/accounts.ts";
import { type ProcessPlace, processPlace } from "../../runtime/store/testing/stores.ts";
import { root } from "../workspace.ts";
import { found } from "./search.ts";
import { type Received, type Sent, send } from "./send.ts";
import { type Deployed, deploy } from "./server-process.ts";

const origin = "https://fort.example.com";
const keys = Buffer.from("a signing key that nobody guesses").toString("base64");

let place: ProcessPlace;
let workspace: string;
let server: Deployed;
let operator: string;

/** Everything secret that the server was given or has given, by what it is. */
const secrets = new Map<string, string>([["SVC_KEYS", keys]]);
/** Written where it must not be, so that the search proves itself. */
const planted = new Map([
  ["in a document", newToken("svs")],
  ["in a log line", newToken("svk")],
]);

beforeAll(async () => {
  place = processPlace();
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  workspace = mkdtempSync(join(cache, "realmc-"));
  server = await deploy(place, keys, workspace);
}, 120_000);
afterAll(async () => {
  await place.discard();
  rmSync(workspace, { recursive: true, force: true });
});

/** Keeps a secret, and gives it back. */
function keep(name: string, secret: string): string {
  secrets.set(name, secret);
  return secret;
}

const ask = (method: string, path: string, sent?: Sent) => send(method, server.url + path, sent);

async function well(method: string, path: string, sent?: Sent): Promise<Received> {
  const answer = await ask(method, path, sent);
  if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
  return answer;
}

/** What the store holds, and the files around it. */
async function stored(): Promise<Buffer> {
  return Buffer.concat([await place.bytes(), ...server.files().values()]);
}

describe("Nothing secret is stored or logged", { timeout: 120_000 }, () => {
  it("while everything secret is in use", async () => {
    const command = server.command("key", "create", "--realm", place.realm, "--name", "operator", "--admin");
    operator = keep("API key from the command line", tokenIn(command));
    const by = { token: operator };

    const made = await well("POST", "/_admin/keys", {
      ...by,
      body: { name: "robot", scopes: { read: "*", write: "*" }, on_behalf_of: true },
    });
    const robot = keep("API key", text(made.body, "key"));
    const invited = await well("POST", "/_admin/invitations", { ...by, body: { roles: ["member"] } });
    const invitation = keep("invitation", text(invited.body, "token"));
    const secret = keep("secret", "of the bank: 0a+b/c=d & more");
    await well("PUT", "/_admin/secrets/BANK", { ...by, body: { value: secret } });
    const set = keep("password set by an administrator", "chosen for her, by 1 other");
    await well("POST", "/_admin/users", { ...by, body: { email: "her@example.com", password: set } });
    const mailed = await well("POST", "/_admin/users", { ...by, body: { email: "him@example.com" } });
    expect(mailed.body["id"]).toBeDefined();
    keep("reset token of a new user", tokenIn(await server.mail("him@example.com")));

    const email = "ada@example.com";
    const password = keep("password", "correct horse/7 +% \u00e9\u{1f40e}");
    const signup = await well("POST", "/_auth/signup", { body: { email, password, invitation } });
    const token = keep("session", text(signup.body, "session", "token"));
    const id = text(signup.body, "user", "id");
    const verification = keep("verification token", tokenIn(await server.mail(email)));
    await well("POST", "/_auth/email/verify", { body: { token: verification } });

    const login = await well("POST", "/_auth/login", {
      headers: { origin },
      body: { email, password, cookie: true },
    });
    const cookie = /^[^=]+=(svs_[^;]+)/.exec(login.headers.get("set-cookie") ?? "")?.[1] ?? "";
    keep("session cookie", cookie);
    const byCookie = { headers: { origin, cookie: `svc_session_${place.realm}=${cookie}` } };
    await well("PATCH", "/_auth/me", { ...byCookie, body: { locale: "de" } });

    const proved = await well("POST", "/_auth/reauth", { token, body: { password } });
    const proof = keep("proof", text(proved.body, "proof"));
    const proving = { token, headers: { "x-svc-reauth": proof } };
    const enrolled = await well("POST", "/_auth/mfa/totp", proving);
    const factor = keep("secret of the second factor", text(enrolled.body, "secret"));
    keep("its bytes", Buffer.from(new TOTP({ secret: factor }).secret.bytes).toString("latin1"));
    const code = new TOTP({ secret: factor }).generate();
    const confirmed = await well("POST", "/_auth/mfa/totp/confirm", { token, body: { code } });
    const codes = confirmed.body["recovery_codes"];
    if (!Array.isArray(codes)) throw new Error("there are no recovery codes");
    for (const [at, each] of codes.entries()) {
      keep(`recovery code ${at}`, String(each));
      keep(`recovery code ${at}, without dashes`, String(each).replaceAll("-", ""));
    }
    await well("POST", "/_auth/login", { body: { email, password, code: String(codes[0]) } });
    await well("POST", "/_auth/mfa/totp", proving);

    await well("POST", "/_auth/email/change", { ...proving, body: { email: "lovelace@example.com" } });
    const change = keep("e-mail change token", tokenIn(await server.mail("lovelace@example.com")));
    await well("POST", "/_auth/email/verify", { body: { token: change } });
    const next = keep("changed password", 'another horse, 8 <>"\\ \u00fc');
    await well("POST", "/_auth/password/change", { token, body: { current: password, new: next } });
    await well("POST", "/_auth/password/forgot", { body: { email: "lovelace@example.com" } });
    const reset = keep("reset token", tokenIn(await server.mail("lovelace@example.com", 2)));
    const last = keep("password after the reset", "the third horse: 9");
    await well("POST", "/_auth/password/reset", { body: { token: reset, password: last } });

    const acting = { token: robot, headers: { "x-svc-on-behalf-of": id } };
    await well("POST", "/main/notes", { ...acting, body: { text: "by a robot" } });
    expect((await ask("GET", "/_auth/me", { token })).status).toBe(401);
  });

  it("while secrets are sent where they do not belong", async () => {
    const wrong = keep("wrong password", "not the right horse at all");
    const misplaced = keep("misplaced token", newToken("svs"));
    const known = { email: "lovelace@example.com" };
    const tries: readonly (readonly [string, string, Sent])[] = [
      ["POST", "/_auth/login", { body: { ...known, password: wrong } }],
      ["POST", "/_auth/login", { body: { email: wrong, password: wrong, code: misplaced } }],
      ["POST", "/_auth/login", { text: `{"email": "${known.email}", "password": "${wrong}"` }],
      [
        "POST",
        "/_auth/login",
        { text: JSON.stringify({ password: wrong }), headers: { "content-type": misplaced } },
      ],
      ["POST", "/_auth/login", { text: JSON.stringify({ password: wrong, [misplaced]: 1 }) }],
      [
        "POST",
        "/_auth/signup",
        { body: { ...known, password: wrong, invitation: misplaced, locale: wrong } },
      ],
      ["POST", "/_auth/password/reset", { body: { token: misplaced, password: wrong } }],
      ["POST", "/_auth/email/verify", { body: { token: misplaced } }],
      ["GET", `/_auth/me?access_token=${misplaced}`, {}],
      [
        "GET",
        `/main/notes?where=${encodeURIComponent(JSON.stringify({ [wrong]: misplaced }))}`,
        { token: operator },
      ],
      ["GET", `/main/notes/${misplaced}`, { token: operator }],
      ["GET", `/${misplaced}/notes`, { token: operator }],
      ["GET", "/main/notes", { token: misplaced }],
      [
        "GET",
        "/main/notes",
        { headers: { authorization: `Basic ${Buffer.from(`${known.email}:${wrong}`).toString("base64")}` } },
      ],
      [
        "GET",
        "/main/notes",
        { headers: { cookie: `a=${misplaced}; svc_session_${place.realm}=${misplaced}` } },
      ],
      ["GET", "/main/notes", { token: operator, headers: { "x-svc-on-behalf-of": misplaced } }],
      ["DELETE", "/_auth/me", { headers: { "x-svc-reauth": misplaced } }],
      ["GET", "/main/notes", { headers: { "x-request-id": `${misplaced} ` + "x".repeat(200) } }],
      ["PUT", "/_admin/secrets/OTHER", { token: operator, body: { value: wrong, more: misplaced } }],
      ["POST", "/_admin/keys", { token: operator, body: { name: "x", scopes: { [misplaced]: "*" } } }],
    ];
    for (const [method, path, sent] of tries) {
      const { status } = await ask(method, path, sent);
      expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
      expect(status, `${method} ${path}`).toBeLessThan(500);
    }
  });

  it("not by the store, beside which lie the hashes, nor by files", async () => {
    const bytes = await stored();
    expect(found(bytes, secrets)).toEqual([]);
    // We have looked where sessions and keys are.
    for (const name of ["API key", "API key from the command line", "invitation"]) {
      expect(bytes.includes(tokenHash(secrets.get(name) ?? "")), name).toBe(true);
    }
  });

  it("not by logs, metrics and the audit trail, which names no address of mail either", async () => {
    const audit = await well("GET", "/_admin/audit?limit=100", { token: operator });
    const metrics = await (await fetch(`${new URL(server.url).origin}/metrics`)).text();
    expect(metrics).toContain("svc_");
    const said = Buffer.from(`${server.output()}\n${metrics}\n${audit.text}`);
    expect(said.includes('"msg":"request"')).toBe(true);
    expect(audit.text).toContain('"action":"password.reset"');
    expect(found(said, secrets)).toEqual([]);
    expect(`${server.output()}\n${metrics}\n${audit.text}`).not.toMatch(/@example\.com/);
  });

  it("which the search would have found", async () => {
    const [document = "", line = ""] = planted.values();
    await well("POST", "/main/slugs", { token: operator, body: { id: "planted", title: `see ${document}` } });
    await ask("GET", "/main/slugs", { headers: { "x-request-id": line } });
    expect(found(await stored(), planted)).toEqual(["in a document"]);
    // Lines come through a pipe.
    while (!server.output().includes(line)) await new Promise((go) => setImmediate(go));
    expect(found(Buffer.from(server.output()), planted)).toEqual(["in a log line"]);
  });

  it("nor once the server has ended", async () => {
    await server.stop();
    expect(found(await stored(), secrets)).toEqual([]);
    expect(found(Buffer.from(server.output()), secrets)).toEqual([]);
  });
});
