/** Reviews of emitted code show what a change means, and not much more. `npx tsx scripts/quiet/run.ts` prints the figures. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyDifference, compareOutput } from "../../compiler/output/write.ts";
import { analyse, emitOutput, emitRealm } from "../../compiler/pipeline.ts";
import { changedLines, sums, type Typical, typical, writeConfiguration } from "./changes.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-quiet-"));
let plain = "";

beforeAll(async () => {
  plain = await emitted("plain");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function emitted(name: string, change?: Typical): Promise<string> {
  const [config, out] = [join(folder, name), join(folder, `${name}-output`)];
  writeConfiguration(config, change);
  const { realms, diagnostics } = await analyse(config);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const plan = await emitOutput(await Promise.all(realms.map((realm) => emitRealm(realm))), {
    compiler: "1.2.3",
    previous: undefined,
    partial: false,
  });
  await applyDifference(out, await compareOutput(out, plan));
  return out;
}

test.each(typical.map((each, at) => ({ ...each, at })))(
  "$change: $atMost.all lines at most, $atMost.server of them of the server's code and the manifest",
  async ({ at, ...change }) => {
    const counts = changedLines(plain, await emitted(`change${at}`, change));
    const { all, server } = sums(counts);
    expect([all, all > change.atMost.all ? counts : "few enough"]).toEqual([all, "few enough"]);
    expect([server, server > change.atMost.server ? counts : "few enough"]).toEqual([server, "few enough"]);
  },
);

test("what differs is counted", async () => {
  const changed = typical.find(({ change }) => change === "a new string field");
  const counts = changedLines(plain, await emitted("counted", changed));
  expect(counts).toMatchObject({ "fields.ts": 1, "types.ts": 1 });
  expect(counts["validate.js"]).toBeGreaterThan(2);
});
