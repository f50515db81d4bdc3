/** The scanner that docs/files.md shows compiles, and hides what it has not found clean. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import type { TestFunctions } from "../../runtime/functions/testing/threads.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";
import { builtHandlers } from "../handlers.ts";
import { send } from "../security/send.ts";
import { root } from "../workspace.ts";

const page = readFileSync(join(root, "docs/files.md"), "utf8");
const config = mkdtempSync(join(tmpdir(), "realmc-scanner-"));
const opened: Server[] = [];

/** What the page shows of a file of the configuration, which it names in the first line. */
function shown(path: string): string {
  const [, , text] = new RegExp(`^\`\`\`(yaml|ts)\n(?:#|//) ${path}\n(.*?)^\`\`\`$`, "ms").exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/files.md shows no ${path}`);
  return text;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(config, "desk", path)), { recursive: true });
  writeFileSync(join(config, "desk", path), text);
}

async function listening(listener: RequestListener): Promise<string> {
  const own = createServer(listener);
  opened.push(own);
  await once(own.listen(0, "127.0.0.1"), "listening");
  const address = own.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return `127.0.0.1:${address.port}`;
}

let functions: TestFunctions;
let server: Started<HeldClock>;
let release = () => {};
const allowed = new Promise<void>((resolve) => {
  release = resolve;
});
const answers: boolean[] = [];

beforeAll(async () => {
  // It fetches what it is told of, when it may.
  const scanner = await listening(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { url }: { url: string } = JSON.parse(Buffer.concat(pieces).toString());
    await allowed;
    const bytes = await (await fetch(url)).text();
    answers.push(!bytes.includes("a virus"));
    response.end(JSON.stringify({ clean: !bytes.includes("a virus") }));
  });
  // The server has its address later.
  const desk = await listening(async (request, response) => {
    const { authorization = "" } = request.headers;
    const answer = await fetch(`${server.url}${request.url}`, { headers: { authorization } });
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  const here = (text: string) =>
    text
      .replace(/https:\/\/(?=(?:desk|scanner)\.)/g, "http://")
      .replaceAll("desk.example.com", desk)
      .replaceAll("scanner.example.com", scanner);
  write("realm.yaml", "auth: enabled\nsignup: open\nroles: { clerk: {} }\nstorage: { driver: local }\n");
  const [, scanned = ""] = /in schema\.json `([^`]+)`/.exec(page) ?? [];
  const properties = { title: { type: "string" }, scanned: JSON.parse(scanned) };
  write(
    "office/claims/schema.json",
    JSON.stringify({ type: "object", properties, additionalProperties: false }),
  );
  write("office/claims/collection.yaml", shown("office/claims/collection.yaml"));
  write("office/_func/scan/function.yaml", here(shown("office/_func/scan/function.yaml")));
  write("office/_func/scan/handler.ts", here(shown("office/_func/scan/handler.ts")));
  functions = await builtHandlers(config, "desk");
  server = await startRealm(await compileRealm(config, "desk"), { functionFiles: functions });
});
afterAll(async () => {
  await server.stop();
  functions.discard();
  for (const each of opened) each.close();
  rmSync(config, { recursive: true });
});

it("what came is hidden until it was found clean, and so is what takes its place", async () => {
  const store = server.store("desk");
  const admin = await createKey(store, server.clock, { name: "admin", admin: true });
  const reader = await createKey(store, server.clock, {
    name: "scanner",
    admin: false,
    scopes: { read: ["office/claims"] },
  });
  const base = `${server.url}/v1/desk`;
  const secret = { token: admin, body: { value: reader } };
  expect((await send("PUT", `${base}/_admin/secrets/FILES_KEY`, secret)).status).toBe(200);
  const signup = { body: { email: "ann@example.com", password: "correct horse" } };
  const { session } = (await send("POST", `${base}/_auth/signup`, signup)).body;
  const token =
    typeof session === "object" && session !== null && "token" in session ? `${session.token}` : "";
  const made = await send("POST", `${base}/office/claims`, { token, body: { title: "a" } });
  const claim = `${base}/office/claims/${made.body["id"]}`;
  const upload = (text: string, query = "") =>
    send("POST", `${claim}/_files/invoice${query}`, {
      token,
      headers: { "content-type": "application/pdf" },
      text: `%PDF-1.7\n${text}`,
    });
  const seen = async (by: string) => "invoice" in (await send("GET", claim, { token: by })).body;

  expect((await upload("an invoice")).status).toBe(201);
  expect([await seen(token), await seen(admin)]).toEqual([false, true]);
  release();
  await expect.poll(() => seen(token), { timeout: 30_000 }).toBe(true);
  server.clock.advance(1_000);
  expect((await upload("a virus", "?replace=true")).status).toBe(201);
  expect(await seen(token)).toBe(false);
  await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(2);
  expect([await seen(token), await seen(admin)]).toEqual([false, true]);
  expect(answers).toEqual([true, false]);
});
