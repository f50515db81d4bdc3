import { describe, expect, it } from "vitest";
import { run } from "./main.ts";

async function command(words: readonly string[], environment: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms: [] }, words, {
    environment,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("The command line", () => {
  it("--help is 0, on stdout, whatever the environment", async () => {
    for (const words of [["--help"], ["-h"], ["key", "create", "--help"]]) {
      const { code, out, err } = await command(words, { SVC_NONSENSE: "1" });
      expect(code).toBe(0);
      expect(out).toContain("key create --realm");
      expect(err).toBe("");
    }
  });

  it.each([["frobnicate"], ["key"], ["key", "delete"], ["--admin"]])(
    "an unknown command is 2: %s %s",
    async (...words) => {
      const { code, out, err } = await command(words);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(err).toMatch(/^unknown command: .*\nusage: /);
    },
  );

  it("a mistake in a command is 2, with the usage of that command alone", async () => {
    const { code, err } = await command(["export"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^[^\n]+\nusage: server export /);
    expect(err).not.toContain("server backup");
    expect((await command(["key", "list"])).err).toMatch(/^[^\n]+\nusage: server key create /);
  });

  it("handover takes no more words: 2", async () => {
    const { code, err } = await command(["handover", "handover"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^handover takes no handover\n/);
  });

  it("bad settings stop the start with 1, each problem on a line of stderr", async () => {
    const { code, out, err } = await command([], { SVC_LOGG: "info", SVC_QUERY_TIME: "soon" });
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err.split("\n")).toEqual([
      "SVC_LOGG is not a setting; did you mean SVC_LOG?",
      expect.stringMatching(/^SVC_QUERY_TIME must be a duration such as 5s/),
    ]);
  });
});
