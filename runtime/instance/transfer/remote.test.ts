import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answering, type Served, serve, things } from "./testing/served.ts";
import { kept, passingFolder, sha256 } from "./testing/shop.ts";

const ofThings = ["--collection", "main/things"];
const many = Array.from({ length: 230 }, (_, n) =>
  kept(
    `t${1_000 + n}`,
    { title: `${n}` },
    n % 10 === 3 ? { version: 2, deletedAt: Date.UTC(2026, 3, 1) } : {},
  ),
);

describe("export --url", () => {
  let served: Served;
  let folder: ReturnType<typeof passingFolder>;
  beforeAll(async () => {
    folder = passingFolder();
    served = await serve();
    await served.shop.stored(things).load([...many].reverse());
  });
  afterAll(async () => {
    await served.stop();
    folder.discard();
  });

  it("writes what export --store writes, to the byte, over pages", async () => {
    const { code, out, err } = await served.command(["export", "--to", "-", ...ofThings, "--meta"]);
    const lines = many.map(({ text }) => `${text}\n`).join("");
    expect({ code, out }).toEqual({ code: 0, out: lines });
    expect(err).toContain(`shop main/things: 230 documents, sha256 ${sha256(lines)}`);
  });

  it("--where, and without --meta no deleted documents", async () => {
    const words = ["export", "--to", "-", ...ofThings, "--where", '{"title":{"$in":["2","3","4"]}}'];
    expect(await served.command(words)).toMatchObject({
      code: 0,
      out: '{"id":"t1002","title":"2"}\n{"id":"t1004","title":"4"}\n',
    });
  });

  it("an export goes on after what it has, also where the server was away in between", async () => {
    let requests = 0;
    const flaky = await answering((request, response) => {
      const { url = "", headers } = request;
      requests += 1;
      if (requests === 1) return void response.writeHead(429, { "retry-after": "0" }).end();
      if (requests === 3) return void response.writeHead(503, { "retry-after": "0" }).end("busy");
      if (requests === 4) return void request.socket.destroy();
      void fetch(`${served.shop.url}${url}`, {
        headers: { authorization: headers.authorization ?? "" },
      }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    });
    try {
      const to = join(folder.path, "flaky.ndjson");
      const { code } = await served.command(["export", "--to", to, ...ofThings, "--meta"], flaky.url);
      expect(code).toBe(0);
      expect(readFileSync(to, "utf8")).toBe(many.map(({ text }) => `${text}\n`).join(""));
    } finally {
      await flaky.stop();
    }
  });

  it("exit 3 where nobody is there, what answers is no server of realms, or the key is not accepted", async () => {
    const words = ["export", "--to", "-", ...ofThings];
    const gone = await answering(() => undefined);
    await gone.stop();
    expect(await served.command(words, gone.url)).toMatchObject({
      code: 3,
      err: expect.stringContaining("cannot be reached: ECONNREFUSED"),
    });
    const other = await answering((_, response) => void response.end("<html>"));
    const elsewhere = await answering(
      (_, response) => void response.writeHead(302, { location: "/x" }).end(),
    );
    expect(await served.command(words, other.url)).toMatchObject({ code: 3, out: "" });
    expect(await served.command(words, elsewhere.url)).toMatchObject({ code: 3, out: "" });
    await Promise.all([other.stop(), elsewhere.stop()]);
    const robot = await served.shop.key({ name: "robot" });
    for (const key of [robot, "sk_nothing"]) {
      const refused = await served.command(words, served.shop.url, key);
      expect(refused).toMatchObject({
        code: 3,
        err: expect.stringContaining("REALMC_KEY must be the key of"),
      });
      expect(refused.err).not.toContain(key);
    }
  });

  it.each([
    [["--url", "http://127.0.0.1:1", "--store", "sqlite:x"], "name either --store or --url, not both"],
    [["--url", "ftp://127.0.0.1"], "--url must be the address of a server"],
    [["--url", "http://a:b@127.0.0.1"], "--url: the key goes into REALMC_KEY"],
  ])("a wrong command line is 2: %j", async ([, url = "", ...more], message) => {
    const words = ["export", "--to", "-", ...ofThings, ...more];
    expect(await served.command(words, url)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });

  it("without a key the command says where it goes", async () => {
    expect(await served.command(["export", "--to", "-", ...ofThings], undefined, "")).toMatchObject({
      code: 2,
      err: expect.stringContaining("REALMC_KEY"),
    });
  });
});
