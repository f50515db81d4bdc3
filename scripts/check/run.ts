/** `npm run check`: a quick proof of a change, before it is committed. `.ci/run` has the last word. */
import { main } from "./cli.ts";

process.exitCode = await main(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
