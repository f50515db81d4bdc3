/**
 * An import for tests that stands still in the middle, to be killed there: `<realm> <words…>`. Says `half`
 * once a batch has been written.
 */
import { run } from "../../main.ts";
import { moduleOf, plain } from "./served.ts";

const [realm = "", ...words] = process.argv.slice(2);
const { REALMC_KEY = "" } = process.env;
await run({ fingerprint: "f", realms: [moduleOf([plain], realm)] }, ["import", ...words], {
  environment: { REALMC_KEY },
  out: () => undefined,
  err() {
    process.stdout.write("half\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
