import type { RealmModule } from "../realm/exchange.ts";
import type { Environment } from "./settings.ts";

/** What a generated `server.ts` runs. */
export interface Program {
  /** Of the configuration. */
  readonly fingerprint: string;
  readonly realms: readonly RealmModule[];
}

/** The process around a command. */
export interface Surroundings {
  readonly environment: Environment;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {}
