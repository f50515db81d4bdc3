import { createRequire } from "node:module";

/** Removes the signal listeners that tus-js-client's file store registers for the locks of its own files. */
export function forgetSignals(): void {
  const locking = ["tus-js-client", "proper-lockfile"].reduce(
    (from, name) => createRequire(from.resolve(name)),
    createRequire(import.meta.url),
  );
  locking("signal-exit").unload();
}
