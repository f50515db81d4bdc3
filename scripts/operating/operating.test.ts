import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BadSettings, readSettings } from "../../runtime/instance/settings.ts";

const [deploying = "", operating = ""] = ["deploying", "operating"].map((name) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8"),
);
const dist = new URL("../../dist/", import.meta.url).pathname;

/** The first block of docs/deploying.md in a language. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(deploying) ?? [];
  if (text === undefined) throw new Error(`docs/deploying.md has no ${language}`);
  return text;
}

/** `NAME=value` words of a text. */
function assigned(text: string): Record<string, string> {
  const words = [...text.matchAll(/\b((?:SVC_\w+|HOST|PORT)=(\S+))/g)];
  return Object.fromEntries(
    words.map(([, word = ""]) => [word.split("=")[0] ?? "", word.slice(word.indexOf("=") + 1)]),
  );
}

describe("docs/deploying.md and docs/operating.md", () => {
  it("names settings that there are", () => {
    const names = new Set(`${deploying}${operating}`.match(/\bSVC_[A-Z_]*[A-Z]\b/g));
    expect(names.size).toBeGreaterThan(5);
    for (const name of names) {
      // A value that no setting takes is told apart from a name that none has.
      const problems = problemsOf({ [name]: "" });
      expect([name, problems]).toEqual([name, [`${name} must not be empty`]]);
    }
  });

  it("the service's and the container's environments are accepted", () => {
    for (const text of [block("ini"), block("dockerfile")]) {
      const environment = assigned(text);
      expect(Object.keys(environment)).toContain("SVC_STORE");
      expect(problemsOf(environment)).toEqual([]);
    }
  });

  const builder = ["docker", "podman"].find((name) => spawnSync(name, ["info"]).status === 0);
  it.skipIf(builder === undefined || !existsSync(dist))(
    "the container file is built and serves (skipped where no container builder runs, or npm run build has made no bundle)",
    () => {
      const context = mkdtempSync(join(tmpdir(), "realmc-container-"));
      try {
        cpSync(dist, join(context, "dist"), { recursive: true });
        writeFileSync(join(context, "Dockerfile"), block("dockerfile"));
        const image = execFileSync(builder ?? "", ["build", "--quiet", context], { encoding: "utf8" }).trim();
        const answer = execFileSync(builder ?? "", ["run", "--rm", image, "node", "server.mjs", "--help"], {
          encoding: "utf8",
        });
        expect(answer).toContain("key create");
      } finally {
        rmSync(context, { recursive: true, force: true });
      }
    },
    300_000,
  );
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof BadSettings) return error.problems;
    throw error;
  }
}
