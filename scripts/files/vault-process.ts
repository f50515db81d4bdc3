/** A process of its own that serves the realm `shelf` and tells how much memory is resident. For `memory.test.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";

const config = fileURLToPath(new URL("config", import.meta.url));
const { url } = await startRealm(await compileRealm(config, "shelf"));

/** MiB, from `/proc`: what is resident, or the most that was since {@link forget}. */
function resident(what: "VmRSS" | "VmHWM"): number {
  const [, kibibytes = ""] =
    new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}

process.on("message", (asked) => {
  if (asked === "begin") {
    global.gc?.();
    // The peak begins anew.
    writeFileSync("/proc/self/clear_refs", "5");
    process.send?.(resident("VmRSS"));
  } else {
    process.send?.(resident("VmHWM"));
  }
});
process.on("disconnect", () => process.exit());
process.send?.(url);
