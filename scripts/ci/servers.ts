/** The MongoDB servers that the tests of a run of `.ci/run` have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { serverUris } from "../../runtime/store/mongodb/testing/servers.ts";
import { root } from "../workspace.ts";
import { Processes, type Variables } from "./processes.ts";

const { MONGO_TESTBED, MONGO_TESTBED_PORT, MONGO_TESTBED_COUNT } = process.env;
/** A folder with the programs `setup`, `start` and `stop`. */
const testbed = MONGO_TESTBED ?? join(root, "../shared/mongo-testbed");
const firstPort = Number(MONGO_TESTBED_PORT ?? 27217);
/** Instances of the test server, each with one worker, which mostly waits for it. */
const count = Number(MONGO_TESTBED_COUNT ?? 2);
/** Each instance has two ports; one between it and the next stays free. */
const step = 3;

/** URIs for `MONGODB_URI`, or why there are none. */
export type Served = { readonly uris: readonly string[] } | { readonly missing: string };

export class Servers {
  /** Instances that were begun, as the test server's programs know them. */
  readonly #begun: Variables[] = [];

  /** @param said called with what the test server's programs write */
  async start(processes: Processes, said: (text: string) => void): Promise<Served> {
    const given = serverUris();
    if (given.length > 0) return { uris: given };
    const program = (name: string): string => join(testbed, name);
    if (!existsSync(program("setup")))
      return { missing: `MONGODB_URI is not set, and there is no ${testbed}` };
    if (!(await processes.succeeds([program("setup")], {}, said)))
      return { missing: `${program("setup")} failed` };
    const uris: string[] = [];
    // One after another: each copies the programs that all of them run.
    for (let port = firstPort; uris.length < count; port += step) {
      const variables = { MONGO_TESTBED_PORT: String(port) };
      this.#begun.push(variables);
      let text = "";
      const isStarted = await processes.succeeds([program("start"), "--fresh"], variables, (more) => {
        text += more;
        said(more);
      });
      const uri = /^MONGODB_URI=(\S+)$/m.exec(text)?.[1];
      if (!isStarted || uri === undefined) return { missing: `${program("start")} failed on port ${port}` };
      uris.push(uri);
    }
    return { uris };
  }

  /** Stops those that `start` began. */
  async stop(): Promise<void> {
    const processes = new Processes();
    const stops = this.#begun.splice(0);
    await Promise.all(
      stops.map((variables) => processes.succeeds([join(testbed, "stop")], variables, () => {})),
    );
  }
}
