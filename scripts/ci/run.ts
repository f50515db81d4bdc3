/**
 * The checks and all tests, for `.ci/run`, after the installation: two lines side by side, each one part after another.
 * In the first one stand the quick checks, so that a mistake is told early, then what needs the processors most; in the other
 * the tests on MongoDB, whose workers wait for their servers. All parts run to their end, whichever is red.
 *
 * Its argument is how many seconds the installation took.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { againName, doubtful, most, triedAgain } from "./again.ts";
import { inMemory } from "./memory.ts";
import { Output } from "./output.ts";
import { type Part, type Ran, Runner } from "./parts.ts";
import { Processes, type Variables } from "./processes.ts";
import { Servers } from "./servers.ts";
import { isGreen, type Run, summary } from "./summary.ts";

const npm = (name: string, ...command: string[]): Part => ({ name, command: ["npm", ...command] });
const withoutMongo: Variables = { MONGODB_URI: "" };

const first: readonly Part[] = [
  npm("types", "run", "types"),
  npm("lint", "run", "lint"),
  npm("stale output", "run", "stale"),
  { ...npm("tests", "test"), variables: withoutMongo },
  { ...npm("tests of the product", "run", "test:product"), variables: withoutMongo },
];
const starting = "MongoDB servers";
const onMongo = npm("tests on MongoDB", "run", "test:mongo");

/** Earlier ones are printed as they come. */
const order = [...first.slice(0, 4), { name: starting }, onMongo, ...first.slice(4)].map(({ name }) => name);

const begun = Date.now();
const installation = Number(process.argv[2] ?? 0) * 1_000;
const processes = new Processes(inMemory());
const servers = new Servers();
const folder = mkdtempSync(join(tmpdir(), "realmc-ci-"));
const write = (text: string): void => void process.stdout.write(text);

for (const [signal, code] of [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, async () => {
    await processes.end();
    await cleared();
    process.exit(code);
  });
}

async function cleared(): Promise<void> {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function inOrder(runner: Runner, parts: readonly Part[]): Promise<readonly Ran[]> {
  const all: Ran[] = [];
  for (const part of parts) all.push(await runner.run(part));
  return all;
}

async function run(): Promise<Run> {
  const output = new Output(order, write);
  const runner = new Runner(processes, output, folder);
  const served = servers.start(processes, (text) => output.say(starting, text));
  const mongo = served.then(async (found): Promise<readonly Ran[]> => {
    if ("missing" in found) output.say(starting, `ci: the tests are not run on MongoDB: ${found.missing}\n`);
    output.done(starting);
    if ("uris" in found) return [await runner.run({ ...onMongo, variables: mongoVariables(found.uris) })];
    output.done(onMongo.name);
    return [];
  });
  const [own, others, found] = await Promise.all([inOrder(runner, first), mongo, served]);
  const parts = [...own, ...others];

  const files = doubtful(parts);
  const isMany = files.length > most;
  if (isMany) write(`\nci: ${files.length} test files are red: none of them is tried again\n`);
  const again = process.env["CI"] === "true" && !isMany ? files : [];
  // Alone: one server does for one worker.
  const alone = "uris" in found ? mongoVariables(found.uris.slice(0, 1)) : withoutMongo;
  const retried = await triedAgain(
    again,
    new Runner(processes, new Output(again.map(againName), write), folder),
    (project) => (project === "mongodb" ? alone : withoutMongo),
  );
  return {
    time: installation + Date.now() - begun,
    installation,
    parts,
    ...("missing" in found && { withoutMongo: found.missing }),
    retried,
  };
}

function mongoVariables(uris: readonly string[]): Variables {
  return { MONGODB_URI: uris.join(" ") };
}

try {
  const done = await run();
  write(summary(done));
  process.exitCode = isGreen(done) ? 0 : 1;
} finally {
  await cleared();
}
// A pipe that somebody still holds keeps nobody waiting.
process.exit();
