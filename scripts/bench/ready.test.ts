import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { ready } from "./ready.ts";
import { freePort } from "./servers.ts";

const run = (script: string) =>
  spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "pipe"] });

it("a process that ends is not waited for: the error says how it ended and what it wrote", async () => {
  const child = run("console.log('no disk'); process.exit(3)");
  const waiting = ready(child, "http://127.0.0.1:9", { limit: 3_600_000 });
  await expect(waiting).rejects.toThrow(/ended with 3 before it was ready:\nno disk\n$/);
});

it("a process that is never ready is waited for until the limit, and no longer", async () => {
  const child = run("setInterval(() => {}, 1_000)");
  const waiting = ready(child, "http://127.0.0.1:9", { limit: 20 });
  await expect(waiting).rejects.toThrow("was not ready within 0.02 s");
  child.kill("SIGKILL");
});

it("a process is ready when /readyz answers 200", async () => {
  const port = await freePort();
  const child = run(`
    let asked = 0;
    require("node:http").createServer(({ url }, answer) => {
      answer.writeHead(url === "/readyz" && ++asked > 1 ? 200 : 503).end();
    }).listen(${port}, "127.0.0.1");`);
  await ready(child, `http://127.0.0.1:${port}`);
  child.kill("SIGKILL");
});
