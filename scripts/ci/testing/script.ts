/** `.ci/run` itself, with an npm, an npx and a MongoDB test server that only tell what they are asked for. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { FileOutcome, Outcome } from "../../testing/outcome.ts";
import { root } from "../../workspace.ts";

const programs = {
  /**
   * Says that a script begins and ends. Files in `$MARKS` steer it: it ends only after another has begun where
   * `<name>.waits` names that one, fails where there is `<name>.fails`, runs until it is ended where there is `<name>.hangs`,
   * and tells of its tests what `<name>.outcome` holds.
   */
  npm: `#!/usr/bin/env bash
case "$*" in
  "ci --prefix"*) exit ;;
  "ci "*) name=ci ;;
  *) name=$*; name=\${name#run } ;;
esac
mark=$MARKS/\${name//[ \\/:]/-}
echo "$name begins, MongoDB: $MONGODB_URI"
touch "$mark.begun"
if [ -e "$mark.waits" ]; then until [ -e "$MARKS/$(cat "$mark.waits").begun" ]; do sleep 0.02; done; fi
if [ -e "$mark.hangs" ]; then
  bash -c 'trap "touch $0.ended; exit" TERM; touch $0.hanging; while :; do sleep 0.02; done' "$mark"
fi
if [ -e "$mark.outcome" ]; then cp "$mark.outcome" "$REALMC_OUTCOME"; fi
echo "$name ends"
[ ! -e "$mark.fails" ]
`,
  /** Asked for \`vitest run --project <project> <file>\`. */
  npx: `#!/usr/bin/env bash
[ "$1 $2 $3" = "vitest run --project" ] && exec npm "again $4 \${5##*/}"
`,
  setup: "#!/usr/bin/env bash\n",
  start: `#!/usr/bin/env bash
touch "$MARKS/$MONGO_TESTBED_PORT.started"
echo "a server starts" >&2
[ "$1" = --fresh ] && [ ! -e "$MARKS/$MONGO_TESTBED_PORT.fails" ] && echo "MONGODB_URI=mongodb://$MONGO_TESTBED_PORT"
`,
  stop: `#!/usr/bin/env bash
touch "$MARKS/$MONGO_TESTBED_PORT.stopped"
`,
};

/** How a run ended. */
export interface Ended {
  readonly code: unknown;
  readonly text: string;
  /** What the parts said of themselves. */
  readonly said: readonly string[];
}

export class Script {
  readonly #folder = mkdtempSync(join(tmpdir(), "realmc-ci-"));
  #child: ChildProcess | undefined;

  constructor() {
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(this.#folder, name), text, { mode: 0o755 });
    }
  }

  /** Steers the part `name`. */
  mark(name: string, how: "waits" | "fails" | "hangs", text = ""): void {
    writeFileSync(this.#markOf(name, how), slug(text));
  }

  /** What a part tells of its tests. */
  tells(name: string, files: readonly FileOutcome[], unhandled: readonly string[] = []): void {
    const outcome: Outcome = { files, unhandled };
    writeFileSync(this.#markOf(name, "outcome"), JSON.stringify(outcome));
  }

  has(name: string, how: "begun" | "hanging" | "ended" | "started" | "stopped"): boolean {
    return existsSync(this.#markOf(name, how));
  }

  async run(environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    this.begin(environment);
    return this.ended();
  }

  begin(environment: NodeJS.ProcessEnv = {}): void {
    this.#child = spawn("bash", [".ci/run"], {
      cwd: root,
      env: {
        ...process.env,
        PATH: this.#folder + delimiter + process.env["PATH"],
        MONGODB_URI: "mongodb://named",
        CHROMIUM: "none",
        NGINX: "none",
        CI: "true",
        MARKS: this.#folder,
        MONGO_TESTBED: this.#folder,
        ...environment,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  terminate(): void {
    this.#child?.kill("SIGTERM");
  }

  async ended(): Promise<Ended> {
    const child = this.#child;
    if (child?.stdout == null) throw new Error("the script has not begun");
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    const [code] = await once(child, "close");
    return { code, text, said: text.split("\n").filter((line) => /^(?!ci:).* (?:begins|ends)\b/.test(line)) };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #markOf(name: string, how: string): string {
    return join(this.#folder, `${slug(name)}.${how}`);
  }
}

/** As the programs name their marks. */
function slug(name: string): string {
  return name.replaceAll(/[ /:]/g, "-");
}
