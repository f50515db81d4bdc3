/**
 * Prints how many lines typical changes of the example `helpdesk` change in what is emitted, by compilers of this and of other
 * checkouts: `npx tsx scripts/quiet/run.ts [checkout…]`.
 */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { root, withWorkspace } from "../workspace.ts";
import { changedLines, sums, typical, writeConfiguration } from "./changes.ts";

const checkouts = process.argv.slice(2).map((folder) => resolve(folder));

for (const checkout of checkouts.length > 0 ? checkouts : [root]) {
  await withWorkspace((folder) => {
    const emitted = (name: string): string => {
      const [config, out] = [join(folder, name), join(folder, `${name}-output`)];
      const compiler = join(checkout, "compiler/cli/realmc.mjs");
      execFileSync(process.execPath, [compiler, "build", config, "--out", out], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      return out;
    };
    writeConfiguration(join(folder, "plain"));
    const plain = emitted("plain");
    console.log(
      `\n${checkout}\n\n| change | lines | server's code and manifest | by file |\n| --- | --- | --- | --- |`,
    );
    for (const [at, each] of typical.entries()) {
      writeConfiguration(join(folder, `change${at}`), each);
      const counts = changedLines(plain, emitted(`change${at}`));
      const { all, server } = sums(counts);
      const files = Object.entries(counts).sort(([, a], [, b]) => b - a);
      console.log(
        `| ${each.change} | ${all} | ${server} | ${files.map(([name, count]) => `${name} ${count}`).join(", ")} |`,
      );
    }
  });
}
