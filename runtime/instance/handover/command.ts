/** `server handover`: asks the server that runs with the same settings to hand over to the bundle as it is on disk now. */
import { type Surroundings, UsageError } from "../command.ts";
import { readSettings } from "../settings.ts";
import { askForHandover, controlPath } from "./control.ts";

export const handoverUsage = "handover            has the running server hand over to this bundle";

/** Answers the exit code: 0 handed over, 1 the server goes on as it was, 3 there is none. */
export async function handoverCommand(
  words: readonly string[],
  { environment, out, err }: Surroundings,
): Promise<number> {
  if (words.length > 0) throw new UsageError(`handover takes no ${words[0]}`);
  const settings = readSettings(environment);
  const path = controlPath(settings);
  if (path === undefined) {
    throw new UsageError(
      "handover finds the server in SVC_DATA, or beside its embedded store: set the one that the server has, or send it SIGUSR2",
    );
  }
  err("waiting for the next server; it has 30 seconds");
  const told = await askForHandover(path);
  if (told === undefined) {
    err(
      `no server runs there: nobody answers at ${path} (PORT, SVC_STORE and SVC_DATA must be those of the server)`,
    );
    return 3;
  }
  if (told.outcome === "kept") {
    err(`not handed over, the server goes on as it was: ${told.reason}`);
    return 1;
  }
  out(`handed over to process ${told.pid}`);
  return 0;
}
