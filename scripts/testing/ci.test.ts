/** What continuous integration runs: `.ci/run` itself, with an npm that tells what it is asked for. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../runtime/testing/until.ts";
import { root } from "../workspace.ts";

/** Those side by side do not end before both have begun, and say something before and after. */
const npm = `#!/usr/bin/env bash
case "$*" in
  "run test:mongo" | "run test:product")
    name=\${2#run }; other=$([ "$2" = test:mongo ] && echo test:product || echo test:mongo)
    echo "$2 begins \${MONGODB_URI:-without}"; touch "$MARKS/$2"
    until [ -e "$MARKS/$other" ]; do sleep 0.02; done
    if [ "$FAILING" = hang ]; then
      bash -c 'trap "touch $MARKS/$0.ended; exit" TERM; touch $MARKS/$0.hangs; while :; do sleep 0.02; done' "$2"
    fi
    echo "$2 ends"; [ "$FAILING" != "$2" ] ;;
  *) echo "npm $*"; [ "$FAILING" != "$*" ] ;;
esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-ci-"));
  writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

function begun(failing: string): ChildProcess {
  return spawn("bash", [".ci/run"], {
    cwd: root,
    env: {
      ...process.env,
      PATH: folder + delimiter + process.env["PATH"],
      MONGODB_URI: "mongodb://named",
      CHROMIUM: "none",
      MARKS: folder,
      FAILING: failing,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function run(failing: string): Promise<{ readonly code: unknown; readonly said: readonly string[] }> {
  const script = begun(failing);
  let text = "";
  script.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(script, "close");
  return {
    code,
    said: text
      .trimEnd()
      .split("\n")
      .filter((line) => !/^npm (?:ci|install) /.test(line)),
  };
}

const both = [
  "npm test",
  "test:mongo begins mongodb://named",
  "test:mongo ends",
  "test:product begins without",
  "test:product ends",
];

test("the README's test command comes first, then those on MongoDB and of the product side by side, each said whole", async () => {
  expect(await run("")).toEqual({
    code: 0,
    said: [...both, "npm run stale", "npm run lint", "npm run types"],
  });
});

test.each(["test:mongo", "test:product"])("it is red where %s is, after both have ended", async (failing) => {
  expect(await run(failing)).toEqual({ code: 1, said: both });
});

test.each([
  ["test", ["npm test"]],
  ["run lint", [...both, "npm run stale", "npm run lint"]],
])("it is red, and goes no further, where npm %s is", async (failing, said) => {
  expect(await run(failing)).toEqual({ code: 1, said });
});

test("what runs side by side ends with it", async () => {
  const script = begun("hang");
  const marked = (mark: string) => () =>
    expect(["test:mongo", "test:product"].map((name) => existsSync(join(folder, name + mark)))).toEqual([
      true,
      true,
    ]);
  await until(marked(".hangs"));
  script.kill("SIGTERM");
  expect(await once(script, "close")).toEqual([143, null]);
  await until(marked(".ended"));
});
