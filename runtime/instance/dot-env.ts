import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** The values of a `.env` file, as `node --env-file` reads it. @returns nothing where there is no such file */
export function dotEnv(path: string): Readonly<Record<string, string>> {
  try {
    const values = Object.entries(parseEnv(readFileSync(path, "utf8")));
    return Object.fromEntries(
      values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}
