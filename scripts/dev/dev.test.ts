/** `realmc dev` as people use it: what follows from changes to a configuration, and what happens to requests meanwhile. */
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commandsIn, realmcIn } from "../../compiler/cli/testing/commands.ts";
import { DevRun, write } from "./run.ts";

let folder: string;
let dev: DevRun;

const things = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const schema = "config/desk/db/things/schema.json";
const settings = "config/desk/realm.yaml";

function prepare(): void {
  folder = mkdtempSync(join(tmpdir(), "realmc-dev-test-"));
  write(folder, settings, "auth: disabled\n");
  write(folder, schema, JSON.stringify(things));
}
async function cleanUp(): Promise<void> {
  await dev.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function create(url: string, path: string, document: object): Promise<Response> {
  return fetch(`${url}/v1/${path}`, {
    method: "POST",
    body: JSON.stringify(document),
    headers: { "content-type": "application/json" },
  });
}

async function names(url: string, path: string): Promise<unknown> {
  const { items } = JSON.parse(await (await fetch(`${url}/v1/${path}`)).text());
  return items.map(({ name }: { name: unknown }) => name);
}

/** Of runs, as they lie in {@link folder}. */
function moduleFolders(): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith("realmc-dev-"));
}

/** The process that serves, as the store's lock names it. */
function serverProcess(): number {
  return Number(/^process (\d+) /.exec(readFileSync(join(folder, "data/lock.holder"), "utf8"))?.[1]);
}

describe("while it runs", { timeout: 120_000 }, () => {
  let url: string;
  const letters: string[] = [];
  const mailbox = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo({ address }, _, next) {
      letters.push(address);
      next();
    },
    onData: (stream, _, next) => void stream.on("end", next).resume(),
  });
  // One run for all of them: each leaves the configuration as sound as it found it.
  beforeAll(async () => {
    prepare();
    mailbox.listen(0, "127.0.0.1");
    await once(mailbox.server, "listening");
    const address = mailbox.server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    write(folder, "config/desk/db/things/collection.yaml", "aggregate: { group_by: [name] }\n");
    dev = new DevRun(folder, [], { SVC_METRICS: "on", SVC_SMTP_URL: `smtp://127.0.0.1:${port}` });
    url = await dev.url();
  }, 120_000);
  afterAll(async () => {
    const status = await dev.stop();
    await cleanUp();
    await new Promise<void>((closed) => mailbox.close(closed));
    expect(status).toBe(0);
  }, 120_000);

  describe("a change", () => {
    test("is served, with what was stored; what is emitted is what build writes", async () => {
      expect((await create(url, "desk/db/things", { name: "one" })).status).toBe(201);
      expect((await create(url, "desk/db/things", { name: "two", size: "big" })).status).toBe(201);

      const stricter = { ...things, properties: { ...things.properties, size: { type: "integer" } } };
      write(folder, schema, JSON.stringify(stricter));
      const [line] = await dev.until(/db\/things: .*restarted in .*\n/s);
      expect(line).toContain("db/things: schema.json → fields.ts, types.ts, validate.js");
      expect(line).toMatch(/realm desk restarted in \d/);
      expect((await create(url, "desk/db/things", { name: "three", size: "big" })).status).toBe(400);
      expect(await names(url, "desk/db/things")).toEqual(["one", "two"]);

      // As editors do that never leave a file half written.
      write(folder, `${schema}.draft`, JSON.stringify(things));
      renameSync(join(folder, `${schema}.draft`), join(folder, schema));
      await dev.until(/restarted in/);
      expect((await create(url, "desk/db/things", { name: "three", size: "big" })).status).toBe(201);

      const check = await commandsIn(folder)("build", "config", "--check");
      expect(check.stdout).toBe("generated is up to date\n");
    });

    test("with mistakes is shown, and the server before goes on until they are mended", async () => {
      const emitted = readFileSync(join(folder, "generated/manifest.json"), "utf8");
      await create(url, "desk/db/things", { name: "before" });
      const stored = await names(url, "desk/db/things");
      const server = serverProcess();

      write(folder, settings, "auth: disabled\nsignupp: open\n");
      const [shown] = await dev.until(/desk\/realm.yaml:2:1 error unknown-key .*goes on\n/s);
      expect(shown).toContain("did you mean 'signup'?");
      expect(await names(url, "desk/db/things")).toEqual(stored);
      expect(readFileSync(join(folder, "generated/manifest.json"), "utf8")).toBe(emitted);

      write(folder, settings, "auth: disabled\n");
      await dev.until(/no problems any more/);
      write(folder, settings, "# The same, with a comment.\nauth: disabled\n");
      await dev.until(/desk\/realm.yaml: nothing else comes of it/);
      expect(serverProcess()).toBe(server);
    });

    test("that the stored documents contradict is told, and the server before goes on", async () => {
      for (const name of ["twice", "twice"]) await create(url, "desk/db/things", { name });
      const stored = await names(url, "desk/db/things");

      const unique = JSON.stringify({ indexes: [{ fields: ["name"], unique: true }] });
      write(folder, "config/desk/db/things/indexes.json", unique);
      await dev.until(/error: .*name.*\n.*the server before goes on\n/);
      expect(await names(url, "desk/db/things")).toEqual(stored);

      rmSync(join(folder, "config/desk/db/things/indexes.json"));
      await dev.until(/no problems any more; the server before goes on/);
      expect((await create(url, "desk/db/things", { name: "twice" })).status).toBe(201);
    });

    test("of folders: realms come and go, collections are renamed, the whole configuration is replaced", async () => {
      const stored = await names(url, "desk/db/things");

      // All at once, as a branch is checked out.
      renameSync(join(folder, "config"), join(folder, "before"));
      write(folder, "config/shop/realm.yaml", "auth: disabled\n");
      write(folder, "config/shop/db/things/schema.json", JSON.stringify(things));
      await dev.until(/realm shop added; realm desk removed \(what is stored stays\); restarted in/);
      expect((await fetch(`${url}/v1/desk/db/things`)).status).toBe(404);
      expect((await create(url, "shop/db/things", { name: "new" })).status).toBe(201);

      renameSync(join(folder, "before/desk"), join(folder, "config/desk"));
      await dev.until(/realm desk added; restarted in/);
      expect(await names(url, "desk/db/things")).toEqual(stored);

      renameSync(join(folder, "config/shop/db/things"), join(folder, "config/shop/db/goods"));
      await dev.until(/db\/goods added\s.*db\/things removed\s.*restarted in/s);
      expect(await names(url, "shop/db/goods")).toEqual([]);

      write(folder, "config/shop/db/goods/schema.json", JSON.stringify({ ...things, required: [] }));
      await dev.until(/db\/goods: schema.json → .*restarted in/s);
      expect((await create(url, "shop/db/goods", {})).status).toBe(201);
    });

    test("keeps requests waiting at most: each is answered, by the server before or the next", async () => {
      const count = async (): Promise<number> =>
        JSON.parse(await (await fetch(`${url}/v1/desk/db/things/_aggregate`)).text()).groups[0].count;
      const before = await count();
      let open = true;
      let answered = 0;
      let cut = 0;
      const client = async (): Promise<void> => {
        while (open) {
          try {
            expect((await create(url, "desk/db/things", { name: "x" })).status).toBe(201);
            answered++;
          } catch (error) {
            // A kept connection may be closed just when a slow client uses it again, as with every HTTP server.
            expect(error).toMatchObject({
              cause: { message: expect.stringMatching(/other side closed|ECONNRESET/) },
            });
            cut++;
          }
        }
      };
      const clients = Promise.all([client(), client(), client()]);
      for (const size of ["integer", "number", "boolean"]) {
        const properties = { ...things.properties, size: { type: size } };
        write(folder, schema, JSON.stringify({ ...things, properties }));
        await Promise.race([dev.until(/restarted in/), clients]);
      }
      open = false;
      await clients;
      const stored = (await count()) - before;
      expect(stored).toBeGreaterThanOrEqual(answered);
      expect(stored).toBeLessThanOrEqual(answered + cut);
    });
  });

  test("SVC_METRICS and SVC_SMTP_URL: what a server loads only then is loaded", async () => {
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("svc_http_requests_total");
    const links = "{ from: a@shop.example, verify_link: 'https://shop.example/?token={token}' }";
    write(folder, "config/club/realm.yaml", `auth: enabled\nsignup: open\nemail: ${links}\n`);
    await dev.until(/realm club added; restarted in/);
    const account = { email: "ada@example.com", password: "correct horse" };
    expect((await create(url, "club/_auth/signup", account)).status).toBe(201);
    await expect.poll(() => letters, { timeout: 20_000 }).toEqual(["ada@example.com"]);
  });

  test("a second run on the same documents serves nothing, and says which process does", async () => {
    const second = new DevRun(folder);
    await second.until(/error: .*data is in use by process \d+ .*\n.*nothing is served/);
    expect(await second.stop()).toBe(0);
  });
});

describe("a run", { timeout: 120_000 }, () => {
  beforeEach(prepare);
  afterEach(cleanUp);

  test("begins with mistakes: requests are told so, and answered once they are mended", async () => {
    write(folder, settings, "auth: perhaps\n");
    dev = new DevRun(folder, ["--out", "emitted", "--data", "kept", "--key"]);
    await dev.until(/config has errors; nothing is served/);
    write(folder, settings, "auth: disabled\n");
    const url = await dev.url();
    const [, key] = /administrator's key of desk: (svk_\S+)/.exec(dev.printed) ?? [];
    const users = await fetch(`${url}/v1/desk/_admin/config`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(users.status).toBe(200);
    expect(readFileSync(join(folder, "emitted/server.ts"), "utf8")).toContain("desk");
    const { host } = new URL(url);
    expect(readFileSync(join(folder, "kept/lock.holder"), "utf8")).toMatch(
      new RegExp(`^process \\d+ on .+, serving ${host}$`),
    );
  });

  test("starts a server again that died, and leaves none behind when it dies itself", async () => {
    dev = new DevRun(folder);
    const url = await dev.url();
    await create(url, "desk/db/things", { name: "one" });
    const first = serverProcess();
    process.kill(first, "SIGKILL");
    await dev.until(/error: the server ended: SIGKILL\nit is started again\n/);
    expect(await names(url, "desk/db/things")).toEqual(["one"]);
    expect(serverProcess()).not.toBe(first);

    await dev.stop("SIGKILL");
    // Nor the folder of its modules.
    await expect.poll(moduleFolders, { timeout: 20_000 }).toEqual([]);
    expect(dev.printed).not.toContain("EPIPE");
    // It gets the store, which a server left behind would still hold.
    dev = new DevRun(folder);
    expect(await names(await dev.url(), "desk/db/things")).toEqual(["one"]);
    expect(await dev.stop("SIGTERM")).toBe(0);
    expect(moduleFolders()).toEqual([]);
  });

  test("that is stopped while it builds serves nothing first", async () => {
    dev = new DevRun(folder);
    await dev.until(/building config\n/);
    expect(await dev.stop()).toBe(0);
    expect(dev.printed).toBe("building config\nstopping\nstopped\n\n(it ended)\n");
  });
});

describe("a wrong command line", { timeout: 120_000 }, () => {
  beforeEach(prepare);
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("exits with 2, and says why", async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", resolve));
    const address = occupant.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const holder = process.platform === "linux" ? `process ${process.pid} \\(.+\\)` : "";
    const cases: readonly [readonly string[], Record<string, string>, RegExp][] = [
      [["nowhere"], {}, /there is no folder nowhere/],
      [["config", "--port", "99999"], {}, /A port is a number from 0 to 65535/],
      [["config", "--port", port], {}, new RegExp(`${holder} listens there \\(choose another: --port\\)`)],
      [["config", "--data", "config/data"], {}, /--data config\/data lies in the configuration/],
      [["config", "--out", "config"], {}, /--out config lies in the configuration/],
      [["config", "--out", "x", "--data", "./x"], {}, /--out and --data need folders of their own/],
      [["config"], { HOST: "192.0.2.1" }, /this machine has no such address \(choose another: HOST\)/],
      [["config"], { SVC_STORE: "sqlite::memory:" }, /SVC_STORE names none \(give one: --data\)/],
      [["config"], { SVC_STORRE: "x" }, /did you mean SVC_STORE/],
    ];
    for (const [words, environment, message] of cases) {
      const { status, stderr } = await commandsIn(folder, environment)("dev", ...words);
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    occupant.close();
    const { status, stderr } = realmcIn(folder)("dev", "nowhere");
    expect([status, stderr]).toEqual([2, "error: there is no folder nowhere\n"]);
  });
});
