/**
 * An export for `export.test.ts` that stands still in the middle, to be killed there: `<realm> <store> <folder>`. Says
 * `half` once a batch has been written.
 */
import { run } from "../../main.ts";
import { dataModule } from "./shop.ts";

const [realm = "", store = "", folder = ""] = process.argv.slice(2);
await run(
  { fingerprint: "f", realms: [dataModule(realm)] },
  ["export", "--store", store, "--to", folder, "--meta"],
  {
    environment: {},
    out: () => undefined,
    err() {
      process.stdout.write("half\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
);
