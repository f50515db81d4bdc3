import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { inTurn, type Part } from "./parts.ts";

function part(name: string, program: string): Part {
  return { name, command: process.execPath, words: ["-e", program] };
}

async function run(
  parts: readonly Part[],
  signal = new AbortController().signal,
): Promise<{ readonly ended: readonly string[]; readonly said: readonly string[] }> {
  const said: string[] = [];
  const ended = await inTurn(parts, { folder: root, say: (text) => said.push(text), signal });
  return {
    ended: ended.map(({ name, isGreen }) => `${name} ${isGreen}`),
    said: said.map((text) => text.replace(/\d+\.\d s/, "0.0 s")),
  };
}

it("a part that is red hides none after it, and each is said with what it printed", async () => {
  const parts = [
    part("one", "console.log('out'); console.error('err'); process.exitCode = 3"),
    part("two", "console.log('fine')"),
  ];
  const { ended, said } = await run(parts);
  expect(ended).toEqual(["one false", "two true"]);
  expect(said[0]?.split("\n").sort()).toEqual(["", "check: one RED, 0.0 s", "err", "out"]);
  expect(said[1]).toBe("fine\ncheck: two green, 0.0 s\n");
});

it("a part that cannot be started, or is killed, is red", async () => {
  const missing = { name: "missing", command: `${root}no-such-program`, words: [] };
  const { ended, said } = await run([missing, part("killed", "process.kill(process.pid, 'SIGKILL')")]);
  expect(ended).toEqual(["missing false", "killed false"]);
  expect(said[0]).toMatch(/ENOENT\ncheck: missing RED/);
});

it("an interrupt ends what runs, and begins nothing more", async () => {
  const stop = new AbortController();
  const said: string[] = [];
  const running = inTurn([part("endless", "setInterval(() => {}, 1_000)"), part("next", "")], {
    folder: root,
    say: (text) => said.push(text),
    signal: stop.signal,
  });
  stop.abort();
  expect(await running).toEqual([{ name: "endless", isGreen: false }]);
});
