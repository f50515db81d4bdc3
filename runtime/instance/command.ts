import type { RealmModule } from "../realm/exchange.ts";
import type { ProgramConfiguration } from "../realm/recorded.ts";
import type { Environment } from "./settings.ts";

/** What a generated `server.ts` runs. */
export interface Program {
  /** Of the configuration. */
  readonly fingerprint: string;
  /** Kept in the stores that are provisioned for it. */
  readonly configuration?: ProgramConfiguration | undefined;
  readonly realms: readonly RealmModule[];
}

/** The process around a command. */
export interface Surroundings {
  readonly environment: Environment;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** All of stdin; default: that of the process. */
  readonly read?: () => Promise<string>;
  /** Writes text to stdout as it is, and resolves when it is taken; default: by `out`. */
  readonly write?: (text: string) => Promise<void>;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {}

/**
 * The realms that a command is for: the one named, or all.
 * @throws UsageError
 */
export function realmsCalled(
  name: string | undefined,
  realms: readonly RealmModule[],
): readonly [RealmModule, ...RealmModule[]] {
  const [first, ...others] = realms.filter(
    ({ definition }) => name === undefined || definition.name === name,
  );
  if (first !== undefined) return [first, ...others];
  const names = realms.map(({ definition }) => definition.name);
  throw new UsageError(`there is no realm ${JSON.stringify(name)}; there are ${names.join(", ")}`);
}
