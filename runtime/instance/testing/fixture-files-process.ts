/** A command on a realm with files, in a process of its own: `<realm> <words…>`. */
import { run } from "../main.ts";
import { filesModule } from "./fixture-files.ts";

const [realm = "", ...words] = process.argv.slice(2);
process.exitCode = await run({ fingerprint: "files", realms: [filesModule(realm)] }, words, {
  environment: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
});
